/** Conversations that take another form in the other era, as data: the form in each era, and what crossing loses. */

export type FlowVerdict = 'lossless' | 'lossy'

/** How one kind of client fares with one kind of server. */
export interface Crossing {
  readonly verdict: FlowVerdict
  readonly how: string
}

export interface Flow {
  readonly name: string
  readonly rules: readonly string[]
  readonly methods: readonly string[]
  /** Its form in the handshake era, and its form since 2026-07-28. */
  readonly handshake: string
  readonly stateless: string
  /** A client of the handshake era with a stateless server, and the other way round. */
  readonly handshakeClient: Crossing
  readonly statelessClient: Crossing
}

const lossless = (how: string): Crossing => ({ verdict: 'lossless', how })
const lossy = (how: string): Crossing => ({ verdict: 'lossy', how })

export const flows: readonly Flow[] = [
  {
    name: 'opening',
    rules: ['D-11', 'D-15', 'D-16', 'D-53'],
    methods: ['initialize', 'notifications/initialized', 'server/discover'],
    handshake: 'initialize negotiates version and capabilities once for a session',
    stateless: 'every request says version and capabilities; server/discover tells those of the server',
    handshakeClient: lossless(
      'initialize is answered from server/discover; each request gets the envelope of the session',
    ),
    statelessClient: lossy(
      'server/discover is answered from initialize; what a server remembers of a session is shared or lost, as the policy for its sessions says',
    ),
  },
  {
    name: 'questions',
    rules: ['D-06', 'D-08', 'D-20', 'D-22'],
    methods: [
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
      'tools/call',
      'prompts/get',
      'resources/read',
    ],
    handshake: 'the server sends a request while it works on one of the client',
    stateless: 'the request is answered with questions, and repeated with the answers',
    handshakeClient: lossless(
      'questions inside a result are sent as requests, and the call is repeated with the answers; a refused sampling ends the call',
    ),
    statelessClient: lossless(
      'the call waits under a sealed token until the client repeats it; questions outside a call cannot be shown and are turned down',
    ),
  },
  {
    name: 'links to visit',
    rules: ['D-26', 'D-48', 'D-58'],
    methods: ['elicitation/create', 'notifications/elicitation/complete'],
    handshake: 'an elicitation with an id whose end is announced, or error -32042',
    stateless: 'a question in URL mode without an id',
    handshakeClient: lossless('ids are made up, and the end is announced when the server no longer asks'),
    statelessClient: lossless('ids stay behind; error -32042 becomes a question'),
  },
  {
    name: 'news',
    rules: ['D-04', 'D-19', 'D-29', 'D-30'],
    methods: [
      'resources/subscribe',
      'resources/unsubscribe',
      'subscriptions/listen',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ],
    handshake: 'resources/subscribe per resource; notices come at any time',
    stateless: 'subscriptions/listen asks for all news at once; each notice names it',
    handshakeClient: lossless('one listening request follows what the session has subscribed to'),
    statelessClient: lossless(
      'each resource is subscribed to while a client listens; servers without a stream are asked from time to time',
    ),
  },
  {
    name: 'log level',
    rules: ['D-18', 'D-28'],
    methods: ['logging/setLevel', 'notifications/message'],
    handshake: 'logging/setLevel once per session; messages at any time',
    stateless: 'a level on each request; messages belong to it',
    handshakeClient: lossless('the level of the session goes with each request'),
    statelessClient: lossy('messages that belong to no request are dropped'),
  },
  {
    name: 'progress',
    rules: ['D-27'],
    methods: ['notifications/progress'],
    handshake: 'tokens of a session, from both sides',
    stateless: 'tokens of one request, from servers only',
    handshakeClient: lossy(
      'progress that a client reports on a question is not passed on; values never fall when a call is repeated',
    ),
    statelessClient: lossless('the last progress of a call that waits is told when the client is back'),
  },
  {
    name: 'cancellation',
    rules: ['D-31'],
    methods: ['notifications/cancelled'],
    handshake: 'notifications/cancelled from both sides',
    stateless: 'hanging up where each request has its own stream, else notifications/cancelled from the client',
    handshakeClient: lossless('the request is taken back as the transport of the server wants it'),
    statelessClient: lossy('a call that waits for answers has no request to take back: only its time ends it'),
  },
  {
    name: 'ping',
    rules: ['D-17'],
    methods: ['ping'],
    handshake: 'either side may ask whether the other is alive',
    stateless: 'nothing',
    handshakeClient: lossless('answered on the spot'),
    statelessClient: lossless('answered on the spot'),
  },
  {
    name: 'tasks',
    rules: ['D-07', 'D-21', 'D-32', 'D-47'],
    methods: ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'tasks/update', 'notifications/tasks/status'],
    handshake: 'the caller asks for a task; tasks/result waits and carries questions',
    stateless: 'the server decides, where the client declares the extension; tasks/get shows results and questions',
    handshakeClient: lossy(
      'tasks are looked at on behalf of the client until they are over; of their progress only the words are told, as steps of one',
    ),
    statelessClient: lossy(
      'results and questions are fetched and shown inline; there is no list, and of the progress of a task only the words are shown',
    ),
  },
]
