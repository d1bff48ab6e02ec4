export { type Advice, catalogue, codeOf, type ErrorEntry, type ErrorKind, errorKinds, isErrorKind, mayEmit } from './catalogue.ts'
export { fromWire, KIND_KEY, ParleyError, type ParleyErrorOptions, ToolError, type ToolErrorOptions, toParleyError, type WireError } from './error.ts'
