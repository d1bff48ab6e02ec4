/** Roots: the places a client lets a server work in. */
import type { Meta, RequestParams } from './common.ts'

export type Root = {
  /** A `file:` URI. */
  uri: string
  name?: string
  _meta?: Meta
}

export type ListRootsParams = RequestParams

export type ListRootsResult = { roots: Root[]; _meta?: Meta }
