/** Elicitation: a server asks the user, with a form or by way of a page. */
import type { Meta, NotificationParams, RequestParams } from './common.ts'
import type { TaskMetadata } from './tasks.ts'

type Field = { title?: string; description?: string }

type Choice = { const: string; title: string }

export type StringSchema = Field & {
  type: 'string'
  minLength?: number
  maxLength?: number
  format?: 'email' | 'uri' | 'date' | 'date-time'
  default?: string
}

export type NumberSchema = Field & {
  type: 'number' | 'integer'
  minimum?: number
  maximum?: number
  default?: number
}

export type BooleanSchema = Field & { type: 'boolean'; default?: boolean }

export type UntitledSingleSelectEnumSchema = Field & { type: 'string'; enum: string[]; default?: string }

export type TitledSingleSelectEnumSchema = Field & { type: 'string'; oneOf: Choice[]; default?: string }

export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema

type Several = Field & { type: 'array'; minItems?: number; maxItems?: number; default?: string[] }

export type UntitledMultiSelectEnumSchema = Several & { items: { type: 'string'; enum: string[] } }

export type TitledMultiSelectEnumSchema = Several & { items: { anyOf: Choice[] } }

export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema

/** The oldest way to give choices a title; read it, do not write it. */
export type LegacyTitledEnumSchema = Field & { type: 'string'; enum: string[]; enumNames?: string[]; default?: string }

export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema

/** What a field of a form can be: forms are flat. */
export type PrimitiveSchema = StringSchema | NumberSchema | BooleanSchema | EnumSchema

export type FormSchema = {
  $schema?: string
  type: 'object'
  properties: Record<string, PrimitiveSchema>
  required?: string[]
}

export type ElicitFormParams = RequestParams & {
  mode?: 'form'
  message: string
  requestedSchema: FormSchema
  /** Handshake era only: run as a task. */
  task?: TaskMetadata
}

export type ElicitUrlParams = RequestParams & {
  mode: 'url'
  message: string
  url: string
  /** Handshake era only: names the elicitation in `notifications/elicitation/complete`. */
  elicitationId?: string
  /** Handshake era only: run as a task. */
  task?: TaskMetadata
}

export type ElicitParams = ElicitFormParams | ElicitUrlParams

export type ElicitAction = 'accept' | 'decline' | 'cancel'

/** What a user can have entered in one field. */
export type ElicitValue = string | number | boolean | string[]

export type ElicitResult = {
  action: ElicitAction
  /** Only when a form was accepted. */
  content?: Record<string, ElicitValue>
  _meta?: Meta
}

/** Handshake era only. */
export type ElicitationCompleteParams = NotificationParams & { elicitationId: string }
