export {
  catalogue,
  codeOf,
  type ErrorKind,
  errorKinds,
  isErrorKind,
  mayEmit,
} from './catalogue.ts'
export {
  fromWire,
  KIND_KEY,
  ParleyError,
  type ParleyErrorOptions,
  ToolError,
  type ToolErrorOptions,
  toParleyError,
  type WireError,
} from './error.ts'
export type { Advice, ErrorEntry } from './kinds/entry.ts'
