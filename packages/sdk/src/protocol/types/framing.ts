/** Building blocks of the types of one version: frames around parameters, and small changes to a neighbour's type. */
import type { Meta, RequestId } from './common.ts'

/** `T` with the fields of `C` in place of its own, as one flat type. */
export type Changed<T, C> = { [K in keyof (Omit<T, keyof C> & C)]: (Omit<T, keyof C> & C)[K] }

/** `T` without some fields, as one flat type. */
export type Without<T, K extends PropertyKey> = { [P in keyof Omit<T, K>]: Omit<T, K>[P] }

/** A method and its parameters, as the schemas up to 2025-06-18 name requests and notifications. */
export type Call<Method extends string, Params> = { method: Method; params: Params }

/** The same where parameters may be left out. */
export type BareCall<Method extends string, Params> = { method: Method; params?: Params }

/** A request as it travels. */
export type Framed<T> = T & { jsonrpc: '2.0'; id: RequestId }

/** A notification as it travels. */
export type Announced<T> = T & { jsonrpc: '2.0' }

/** Any object that answers a request in the handshake era. */
export type OpenResult = { _meta?: Meta; [key: string]: unknown }

export type ErrorObject = { code: number; message: string; data?: unknown }

export type JsonRpcRequest = { jsonrpc: '2.0'; id: RequestId; method: string; params?: Record<string, unknown> }

export type JsonRpcNotification = { jsonrpc: '2.0'; method: string; params?: Record<string, unknown> }
