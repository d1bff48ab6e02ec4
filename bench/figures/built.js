/** Parts of the built SDK that the figures take a look at from the inside. */
export { fromWire, ParleyError, errorKinds } from '../../packages/sdk/dist/errors/index.js'
export { negotiate, versions } from '../../packages/sdk/dist/protocol/index.js'
export { initializeParams, initializeResult, readInitialize, readInitializeResult } from '../../packages/sdk/dist/session/handshake.js'
export { PhaseMachine } from '../../packages/sdk/dist/session/phase.js'
export { Session } from '../../packages/sdk/dist/session/session.js'
export { isVerdict, plan } from '../../packages/sdk/dist/versions/index.js'
