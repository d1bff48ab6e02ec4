/**
 * Parts of the engine that the figures look at from the inside: the package shows its entries only, so `npm run bench`
 * builds these beside it.
 */
export { errorKinds, fromWire, ParleyError, toParleyError } from '../../.cache/engine/errors/index.js'
export {
  initializeParams,
  initializeResult,
  readInitialize,
  readInitializeResult,
} from '../../.cache/engine/session/eras/handshake/initialize.js'
export { PhaseMachine } from '../../.cache/engine/session/phase.js'
export { Session } from '../../.cache/engine/session/session.js'
export { isVerdict, negotiate, plan, versions } from '../../.cache/engine/versions/index.js'
