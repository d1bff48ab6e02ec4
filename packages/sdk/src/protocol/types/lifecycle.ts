/**
 * How a conversation begins and how requests are followed: introductions, capabilities, progress, cancellation,
 * subscriptions.
 */
import type { Implementation, Meta, NotificationParams, ProgressToken, RequestId, RequestParams } from './common.ts'

/** Details of a capability; most have none. */
export type Details = Record<string, unknown>

export type ClientCapabilities = {
  experimental?: Record<string, Details>
  /** `listChanged`: handshake era only. */
  roots?: { listChanged?: boolean }
  sampling?: { context?: Details; tools?: Details }
  elicitation?: { form?: Details; url?: Details }
  /** Handshake era only. */
  tasks?: {
    list?: Details
    cancel?: Details
    requests?: { sampling?: { createMessage?: Details }; elicitation?: { create?: Details } }
  }
  extensions?: Record<string, Details>
}

export type ServerCapabilities = {
  experimental?: Record<string, Details>
  logging?: Details
  completions?: Details
  prompts?: { listChanged?: boolean }
  resources?: { subscribe?: boolean; listChanged?: boolean }
  tools?: { listChanged?: boolean }
  /** Handshake era only. */
  tasks?: { list?: Details; cancel?: Details; requests?: { tools?: { call?: Details } } }
  extensions?: Record<string, Details>
}

export type InitializeParams = RequestParams & {
  protocolVersion: string
  capabilities: ClientCapabilities
  clientInfo: Implementation
}

export type InitializeResult = {
  protocolVersion: string
  capabilities: ServerCapabilities
  serverInfo: Implementation
  instructions?: string
  _meta?: Meta
}

export type DiscoverParams = RequestParams

export type DiscoverResult = {
  supportedVersions: string[]
  capabilities: ServerCapabilities
  instructions?: string
  _meta?: Meta
}

export type ProgressParams = NotificationParams & {
  progressToken: ProgressToken
  progress: number
  total?: number
  message?: string
}

export type CancelledParams = NotificationParams & {
  requestId: RequestId
  reason?: string
}

/** What a client wants to hear of. */
export type SubscriptionFilter = {
  toolsListChanged?: boolean
  promptsListChanged?: boolean
  resourcesListChanged?: boolean
  /** URIs. */
  resourceSubscriptions?: string[]
}

export type ListenParams = RequestParams & { notifications: SubscriptionFilter }

export type ListenResult = { _meta?: Meta }

export type SubscriptionsAcknowledgedParams = NotificationParams & { notifications: SubscriptionFilter }
