/**
 * The stage that runs calls as tasks (D7). Clients and servers may have tasks of 2025-11-25, the tasks extension, or no
 * tasks.
 */
import { declares, eraOf, type Loss, supports, type Tool } from 'parley-mcp'
import {
  type Answer,
  type Answered,
  type Body,
  declaresExtension,
  type EngineRequestOptions,
  type Inbound,
  isFlatTask,
  PolledTask,
  type Progress,
  readFlatTask,
  type Session,
  type Stage,
  StatusProgress,
  TASKS_EXTENSION,
  type TaskPeer,
  TaskReceiver,
} from 'parley-mcp/engine'
import type { Conversation, Upstream } from '../../upstream/index.ts'
import { type Call, conversationOf } from '../call.ts'
import { wantsProgress } from '../client-questions.ts'
import { TaskListening } from './task-listening.ts'
import { GATEWAY, TaskOwners } from './task-owners.ts'
import { runAsTask } from './task-run.ts'

export interface FollowedTasks {
  readonly taskIds: readonly string[]
  stop(): void
}

type Next = Parameters<Stage<Call>>[1]

export const runTasks: Stage<Call> = (call, next) =>
  call.method === 'tools/call' ? call.site.tasks.call(call, next) : call.site.tasks.ask(call, next)

/** The tasks of one server, and those that the gateway runs for its clients. */
export class TaskRuns {
  readonly #upstream: Upstream
  readonly #receiver: TaskReceiver
  readonly #owners = new TaskOwners()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#receiver = new TaskReceiver({}, (error, during) =>
      upstream.log.warning(`${upstream.name}: ${during}: ${String(error)}`, { server: upstream.name }),
    )
  }

  /** Calls a tool. */
  call(call: Call, next: Next): Answered {
    const conversation = conversationOf(call)
    if (isStateless(call) && conversation.stateless) return this.#passOn(call, next)
    // Most calls: the client wants no task, and the server cannot require one.
    if (call.params['task'] === undefined && conversation.stateless) return this.#follow(call, next)
    if (call.params['task'] === undefined && !conversation.runsTasks) return next(call)
    return this.#call(call, next)
  }

  /**
   * Answers a request about tasks. The server answers if it runs them in the client's era and for this client alone.
   * Else the gateway answers.
   */
  ask(call: Call, next: Next): Answered {
    const { stateless, shared } = conversationOf(call)
    if (isStateless(call) !== stateless || (!stateless && shared)) return this.#receiver.answer(call)
    if (stateless) this.#owners.demand(call.params['taskId'], call.principal)
    return next(call)
  }

  /** Follows those of the tasks that the client may see. */
  async follow(
    inbound: Inbound,
    conversation: Conversation,
    taskIds: readonly string[],
    tell: (task: Body) => void,
  ): Promise<FollowedTasks> {
    if (conversation.stateless) {
      const own = taskIds.filter((taskId) => this.#owners.mayAsk(taskId, inbound.principal))
      const listening = new TaskListening(conversation, own, tell)
      return { taskIds: await listening.begin(), stop: () => listening.stop() }
    }
    const own = new Set(await this.#receiver.owned(inbound, taskIds))
    const stop = this.#receiver.onChange((taskId, _principal, detailed) => own.has(taskId) && tell(detailed))
    return { taskIds: [...own], stop }
  }

  release(session: Session): void {
    this.#receiver.release(session)
  }

  close(): Promise<void> {
    return this.#receiver.close()
  }

  /**
   * Client and server are of the stateless era. The client that gets a task owns it. A client without a principal owns
   * no task.
   */
  async #passOn(call: Call, next: Next): Promise<Answer> {
    const answer = await next(call)
    const result = call.received?.body
    if (result !== undefined && isFlatTask(result) && typeof result['taskId'] === 'string')
      this.#owners.remember(result['taskId'], call.principal)
    return answer
  }

  async #call(call: Call, next: Next): Promise<Answer> {
    const conversation = conversationOf(call)
    const { task: wantedTask, ...own } = call.params
    if (isStateless(call)) return this.#forStateless(call, own, next)
    // C-24: a client gets a task only if the gateway has offered tasks.
    const wantsTask =
      wantedTask !== undefined &&
      supports(call.caller.version, 'tasks') &&
      declares(call.session.self.capabilities, 'tasks.requests.tools.call')
    if (conversation.stateless)
      return wantsTask
        ? this.#begin(call, own, (task) => this.#follow(task, next))
        : this.#follow(call.withParams(own), next)
    if (!wantsTask || !conversation.runsTasks) return this.#run(call.withParams(own), next)
    // Both have tasks of the handshake era. The server cannot tell apart clients that share a conversation, so the
    // gateway runs their tasks.
    return conversation.shared ? this.#begin(call, own, (task) => this.#run(task, next)) : next(call)
  }

  /** Runs a tool of a server of the handshake era until it has a result. */
  async #run(call: Call, next: Next): Promise<Answer> {
    return (await this.#isRequired(call)) ? this.#runAsTask(call, next) : next(call)
  }

  /** The server is of the handshake era. */
  async #forStateless(call: Call, own: Body, next: Next): Promise<Answer> {
    if (!(await this.#isRequired(call))) return next(call.withParams(own))
    if (!declaresExtension(call.caller.capabilities, TASKS_EXTENSION))
      return this.#runAsTask(call.withParams(own), next)
    return this.#begin(call, own, (task) => {
      loseProgress(task)
      return this.#runAsTask(task, next)
    })
  }

  /** Answers with a task, and runs it after the answer. */
  async #begin(call: Call, own: Body, run: (call: Call) => Answered): Promise<Answer> {
    let over: () => void = () => {}
    call.lasting = new Promise<void>((resolve) => {
      over = resolve
    })
    // A call that is cancelled before its answer has no task. Otherwise the end of the task is the end.
    call.onCancel(over)
    try {
      return await this.#receiver.accept(call, async (task) => {
        task.afterAnswer(over)
        return run(call.continuedAs(task, own))
      })
    } catch (error) {
      over()
      throw error
    }
  }

  /** A server of the stateless era may turn a call into a task. The gateway follows it to its end. */
  #follow(call: Call, next: Next): Answered {
    const conversation = conversationOf(call)
    call.sendWith = (own, options) => {
      const progress = options.onProgress === undefined || options.relayed ? undefined : progressOf(call)
      if (progress !== undefined) options.onProgress = progress.onProgress
      options.onTask = (answer) => {
        const task = readFlatTask('tools/call', answer)
        this.#owners.remember(task.taskId, GATEWAY)
        // The questions of a task do not come with the call, so links cannot end the call.
        call.questions?.askForLinks()
        loseProgress(call)
        const polled = new PolledTask(peerOf(conversation, call), task, { signal: call.signal, owner: call })
        const result = polled.result()
        const stop = (progress ?? progressOf(call)).follow(polled)
        result.then(stop, stop)
        return conversation.stayFor(result)
      }
      return conversation.request('tools/call', own, options)
    }
    return next(call)
  }

  /** C-23: the tool runs only as a task. The client does not know about the task. */
  #runAsTask(call: Call, next: Next): Answered {
    const conversation = conversationOf(call)
    call.sendWith = (own, { onProgress: tell }) => {
      // `more` is about the task, which the client does not know.
      const onProgress = tell && (({ more: _, ...progress }: Progress): void => tell(progress))
      const running = runAsTask(peerOf(conversation, call), 'tools/call', own, {
        signal: call.signal,
        ...(onProgress && { onProgress }),
      })
      return conversation.stayFor(running)
    }
    return next(call)
  }

  async #isRequired(call: Call): Promise<boolean> {
    const { stateless, runsTasks } = conversationOf(call)
    const name = call.params['name']
    if (stateless || !runsTasks || typeof name !== 'string') return false
    await this.#upstream.tools.readOnce()
    return taskSupportOf(this.#upstream.tools.original(name)) === 'required'
  }
}

function taskSupportOf(tool: Pick<Tool, 'execution'> | undefined): unknown {
  return (tool?.execution as Body | undefined)?.['taskSupport']
}

function isStateless({ caller }: Inbound): boolean {
  return eraOf(caller.version) === 'stateless'
}

/** Questions that the server asks during the task belong to the call. */
function peerOf(conversation: Conversation, call: Call): TaskPeer {
  const { client } = conversation
  return {
    get session() {
      return client.session
    },
    request: (method: string, params: Body, options?: EngineRequestOptions) => {
      const owned: EngineRequestOptions = { ...options, owner: call }
      const answer = client.request(method, params, owned)
      return method === 'tasks/cancel' ? conversation.stayFor(answer) : answer
    },
    onNotification: (method, handler) => client.onNotification(method, handler),
    onEnd: (end) => client.onState(({ to }) => to === 'closed' && end()),
  }
}

const STATUS_ONLY: Loss = {
  rule: 'D-21',
  method: 'tools/call',
  path: '_meta.progressToken',
  severity: 'w',
  detail: 'the call runs as a task, which reports progress only as a status message',
}

/** Reports the status as progress. A client that did not ask for progress sees the status of its task only. */
function progressOf(call: Call): StatusProgress {
  return new StatusProgress(
    ({ progress, total, message, more }) => call.progress(progress, total, message, more),
    (error) => call.session.reportError(error, 'progress of a task'),
  )
}

/** Reports the loss to a client that asked for progress, and to the observers of the gateway (X2). */
function loseProgress(call: Call): void {
  if (!wantsProgress(call)) return
  call.lose(STATUS_ONLY)
  conversationOf(call).client.session.reportLosses([STATUS_ONLY])
}
