/**
 * Which scenarios cannot pass when the suite's client and the server behind the gateway are of different eras, and why.
 * Where only some checks of a scenario are concerned they are named, and all others have to pass. What is listed has to
 * fail: a list of excuses must not outlive its reasons.
 */

const UNNAMED =
  'questions of the handshake era have no names, so the gateway gives them its own; the suite looks for the name its own server would have given'
const LINE_BOUND =
  'the suite answers a question nobody asked in this call, without the state of the call that did; a server of the handshake era asks within a call and waits for the answer there'

/** By the version of the suite; the server is of the other era. `subject`: only for that server. */
export const IMPOSSIBLE = {
  '2025-11-25': [
    {
      scenario: 'server-sse-polling',
      why: 'servers of 2026-07-28 cannot end a stream and answer on the next one: their streams have no event ids, and their end means that the request is lost (D-62)',
    },
  ],
  '2026-07-28': [
    {
      scenario: 'server-stateless',
      checks: ['sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400'],
      why: 'the error for a capability that was not declared came with 2026-07-28; a server of the handshake era answers that its tool failed, and nobody but the server can know why',
    },
    { scenario: 'input-required-result-basic-elicitation', why: UNNAMED },
    { scenario: 'input-required-result-ignore-extra-params', why: LINE_BOUND },
  ],
}
