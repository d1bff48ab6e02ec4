/**
 * Calls that run as tasks, between clients and servers that have tasks, have them in other words, or have none (8.4,
 * D7).
 */
import { declares, eraOf, supports, type Tool } from 'parley-mcp'
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
  TASKS_EXTENSION,
  type TaskPeer,
  TaskReceiver,
} from 'parley-mcp/engine'
import type { Conversation, Upstream } from '../../upstream/index.ts'
import { type Call, conversationOf } from '../call.ts'
import { TaskListening } from './task-listening.ts'
import { GATEWAY, TaskOwners } from './task-owners.ts'
import { loseProgress, progressOf } from './task-progress.ts'
import { runAsTask } from './task-run.ts'

export interface FollowedTasks {
  readonly taskIds: readonly string[]
  stop(): void
}

type Next = Parameters<Stage<Call>>[1]

export const runTasks: Stage<Call> = (call, next) =>
  call.method === 'tools/call' ? call.site.tasks.call(call, next) : call.site.tasks.ask(call, next)

/** Tasks of one server, and those that the gateway runs in front of it. */
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
    if (isStateless(call) && conversation.stateless) return this.#handOn(call, next)
    // Most calls: no task is wanted, and no list of tools has to be read to know whether one is required.
    if (call.params['task'] === undefined && conversation.stateless) return this.#follow(call, next)
    if (call.params['task'] === undefined && !conversation.runsTasks) return next(call)
    return this.#call(call, next)
  }

  /**
   * What is asked about tasks. The server answers when it runs them in the client's words, and for this client alone;
   * else the gateway answers.
   */
  ask(call: Call, next: Next): Answered {
    const { stateless, shared } = conversationOf(call)
    if (isStateless(call) !== stateless || (!stateless && shared)) return this.#receiver.answer(call)
    if (stateless) this.#owners.demand(call.params['taskId'], call.principal)
    return next(call)
  }

  /** Those of the tasks that the client may hear of, and what becomes of them from now on. */
  async follow(
    inbound: Inbound,
    conversation: Conversation,
    taskIds: readonly string[],
    tell: (task: Body) => void,
  ): Promise<FollowedTasks> {
    if (conversation.stateless) {
      const asked = taskIds.filter((taskId) => this.#owners.mayAsk(taskId, inbound.principal))
      const listening = new TaskListening(conversation, asked, tell)
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
   * Both are of the stateless era. A client that is given a task may ask about it; clients that cannot be told apart
   * own nothing.
   */
  async #handOn(call: Call, next: Next): Promise<Answer> {
    const answer = await next(call)
    const result = call.received?.body
    if (result !== undefined && isFlatTask(result) && typeof result['taskId'] === 'string')
      this.#owners.remember(result['taskId'], call.principal)
    return answer
  }

  async #call(call: Call, next: Next): Promise<Answer> {
    const conversation = conversationOf(call)
    const { task: wish, ...own } = call.params
    if (isStateless(call)) return this.#forStateless(call, own, next)
    // C-24: a client gets no task that it was not offered.
    const wanted =
      wish !== undefined &&
      supports(call.caller.version, 'tasks') &&
      declares(call.session.self.capabilities, 'tasks.requests.tools.call')
    if (conversation.stateless)
      return wanted ? this.#begin(call, own, (task) => this.#follow(task, next)) : this.#follow(call.with(own), next)
    if (!wanted || !conversation.runsTasks) return this.#run(call.with(own), next)
    // Both have tasks, in the same words. A server cannot tell clients apart that share a conversation, so the gateway
    // runs their tasks.
    return conversation.shared ? this.#begin(call, own, (task) => this.#run(task, next)) : next(call)
  }

  /** Runs a tool of a server of the handshake era until it has a result. */
  async #run(call: Call, next: Next): Promise<Answer> {
    return (await this.#isRequired(call)) ? this.#runAsTask(call, next) : next(call)
  }

  /** The server is of the handshake era. */
  async #forStateless(call: Call, own: Body, next: Next): Promise<Answer> {
    if (!(await this.#isRequired(call))) return next(call.with(own))
    if (!declaresExtension(call.caller.capabilities, TASKS_EXTENSION)) return this.#runAsTask(call.with(own), next)
    return this.#begin(call, own, (task) => {
      loseProgress(task)
      return this.#runAsTask(task, next)
    })
  }

  /** Answers that there is a task, and runs it after that. */
  async #begin(call: Call, own: Body, run: (call: Call) => Answered): Promise<Answer> {
    let over: () => void = () => {}
    call.lasting = new Promise<void>((resolve) => {
      over = resolve
    })
    // A call that is cancelled before its answer leaves no task; else the task says when it is over.
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

  /** A server of the stateless era decides itself whether a call becomes a task; it is then followed to its end. */
  #follow(call: Call, next: Next): Answered {
    const conversation = conversationOf(call)
    call.sendWith = (own, options) => {
      const progress = options.onProgress === undefined || options.relayed ? undefined : progressOf(call)
      if (progress !== undefined) options.onProgress = progress.onProgress
      options.onTask = (answer) => {
        const task = readFlatTask('tools/call', answer)
        this.#owners.remember(task.taskId, GATEWAY)
        // Questions of a task are answered beside the call, so links do not end it.
        call.demanded = undefined
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

  /** C-23: the tool only runs as a task, which only the gateway needs to know. */
  #runAsTask(call: Call, next: Next): Answered {
    const conversation = conversationOf(call)
    call.sendWith = (own, { onProgress: tell }) => {
      // The rest of the progress is about a task that the client does not know.
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
    await this.#upstream.tools.seen()
    return taskSupportOf(this.#upstream.tools.original(name)) === 'required'
  }
}

function taskSupportOf(tool: Pick<Tool, 'execution'> | undefined): unknown {
  return (tool?.execution as Body | undefined)?.['taskSupport']
}

function isStateless({ caller }: Inbound): boolean {
  return eraOf(caller.version) === 'stateless'
}

/** Whatever the server asks while it works on the task belongs to the call. */
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
