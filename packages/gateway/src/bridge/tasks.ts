/** Calls that run as tasks, between clients and servers that have tasks, have them in other words, or have none (8.4, D7). */
import { declares, eraOf, supports, type Tool } from 'parley-mcp'
import {
  type Answer,
  type Body,
  declaresExtension,
  type Inbound,
  isFlatTask,
  PolledTask,
  type Progress,
  type RequestOptions,
  readFlatTask,
  type Session,
  TASKS_EXTENSION,
  type TaskPeer,
  TaskReceiver,
} from 'parley-mcp/engine'
import { BridgedCall, type Line, type Upstream } from '../upstream/index.ts'
import { relay, type Send } from './relay.ts'
import { TaskListening } from './task-listening.ts'
import { GATEWAY, TaskOwners } from './task-owners.ts'
import { loseProgress, progressOf } from './task-progress.ts'
import { runAsTask } from './task-run.ts'

export interface FollowedTasks {
  readonly taskIds: readonly string[]
  stop(): void
}

export class TaskBridge {
  readonly #upstream: Upstream
  readonly #receiver: TaskReceiver
  readonly #owners = new TaskOwners()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#receiver = new TaskReceiver({}, (error, during) => upstream.log.warning(`${upstream.name}: ${during}: ${String(error)}`, { server: upstream.name }))
  }

  /** Calls a tool. `params` are those the server is sent. */
  call(call: BridgedCall, line: Line, params: Body): Promise<Answer> {
    // By far the most: nobody wishes for a task, and nobody has to find out whether there are any.
    if (params['task'] === undefined && line.stateless) return this.#follow(call, line, params)
    if (params['task'] === undefined && !line.runsTasks) return relay(call, line, params, this.#upstream)
    return this.#call(call, line, params)
  }

  async #call(call: BridgedCall, line: Line, params: Body): Promise<Answer> {
    const { inbound } = call
    const { task: wish, ...own } = params
    if (isStateless(inbound)) return this.#forStateless(call, line, own)
    // C-24: what was not offered is not granted either.
    const wanted = wish !== undefined && supports(inbound.caller.version, 'tasks') && declares(inbound.session.self.capabilities, 'tasks.requests.tools.call')
    if (line.stateless) return wanted ? this.#begin(call, (task) => this.#follow(task, line, own)) : this.#follow(call, line, own)
    if (!wanted || !line.runsTasks) return this.#run(call, line, own)
    // Both have tasks, in the same words. But a server cannot tell clients apart that share a session, so their tasks are the gateway's.
    return line.shared ? this.#begin(call, (task) => this.#run(task, line, own)) : relay(call, line, params, this.#upstream)
  }

  /** Runs a tool of a server of the handshake era until it has a result. */
  async #run(call: BridgedCall, line: Line, params: Body): Promise<Answer> {
    return (await this.#isRequired(line, params)) ? this.#runAsTask(call, line, params) : relay(call, line, params, this.#upstream)
  }

  /** What is asked about tasks: of the server when it runs them in the client's words, and for this client alone, else of the gateway. */
  ask(call: BridgedCall, line: Line): Promise<Answer> {
    const { inbound } = call
    const direct = isStateless(inbound) === line.stateless && (line.stateless || !line.shared)
    return direct ? relay(call, line, inbound.params, this.#upstream) : this.#receiver.answer(inbound)
  }

  /**
   * For what is handed on between a client and a server of the stateless era: nobody may ask about a task of somebody else, and whoever is given one
   * has it. Clients that nobody can tell apart have nothing of their own.
   */
  watch(call: BridgedCall, params: Body): void {
    const { method, principal } = call.inbound
    if (method.startsWith('tasks/')) return this.#owners.demand(params['taskId'], principal)
    call.change = (result) => {
      if (isFlatTask(result) && typeof result['taskId'] === 'string') this.#owners.remember(result['taskId'], principal)
      return result
    }
  }

  /** Those of the tasks that the client may hear of, and what becomes of them from now on. */
  async follow(inbound: Inbound, line: Line, taskIds: readonly string[], tell: (task: Body) => void): Promise<FollowedTasks> {
    if (line.stateless) {
      const asked = taskIds.filter((taskId) => this.#owners.mayAsk(taskId, inbound.principal))
      const listening = new TaskListening(line, asked, tell)
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

  /** The server is of the handshake era. */
  async #forStateless(call: BridgedCall, line: Line, params: Body): Promise<Answer> {
    if (!(await this.#isRequired(line, params))) return relay(call, line, params, this.#upstream)
    if (!declaresExtension(call.inbound.caller.capabilities, TASKS_EXTENSION)) return this.#runAsTask(call, line, params)
    return this.#begin(call, (task) => {
      loseProgress(task, line)
      return this.#runAsTask(task, line, params)
    })
  }

  /** Answers that there is a task, and runs it behind that. */
  async #begin(call: BridgedCall, run: (call: BridgedCall) => Promise<Answer>): Promise<Answer> {
    let over: () => void = () => {}
    call.lasting = new Promise<void>((resolve) => {
      over = resolve
    })
    // Given up before it was answered, there is no task; else the task says when it is over.
    call.inbound.onCancel(over)
    try {
      return await this.#receiver.accept(call.inbound, (task) => {
        task.afterAnswer(over)
        const running = new BridgedCall(task)
        call.turn?.handTo(running)
        return run(running)
      })
    } catch (error) {
      over()
      throw error
    }
  }

  /** A server of the stateless era decides itself whether a call becomes a task; it is then followed to its end. */
  #follow(call: BridgedCall, line: Line, params: Body): Promise<Answer> {
    const send: Send = (own, options) => {
      const progress = options.onProgress === undefined || options.relayed ? undefined : progressOf(call)
      if (progress !== undefined) options.onProgress = progress.onProgress
      options.onTask = (answer) => {
        const task = readFlatTask('tools/call', answer)
        this.#owners.remember(task.taskId, GATEWAY)
        // What a task asks is answered beside the call, which has nothing to come back to.
        call.demanded = undefined
        loseProgress(call, line)
        const polled = new PolledTask(peerOf(line, call), task, { signal: call.inbound.signal, owner: call })
        const result = polled.result()
        const stop = (progress ?? progressOf(call)).follow(polled)
        result.then(stop, stop)
        return line.stayFor(result)
      }
      return line.request('tools/call', own, options)
    }
    return relay(call, line, params, this.#upstream, send)
  }

  /** C-23: the tool only runs as a task, and nobody but the gateway needs to know. */
  #runAsTask(call: BridgedCall, line: Line, params: Body): Promise<Answer> {
    const { signal } = call.inbound
    const send: Send = (own, { onProgress: tell }) => {
      // What else is said with it is about a task that the client knows nothing of.
      const onProgress = tell && (({ more: _, ...progress }: Progress): void => tell(progress))
      return line.stayFor(runAsTask(peerOf(line, call), 'tools/call', own, { signal, ...(onProgress && { onProgress }) }))
    }
    return relay(call, line, params, this.#upstream, send)
  }

  async #isRequired(line: Line, { name }: Body): Promise<boolean> {
    if (line.stateless || !line.runsTasks || typeof name !== 'string') return false
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
function peerOf(line: Line, call: BridgedCall): TaskPeer {
  const { client } = line
  return {
    get session() {
      return client.session
    },
    request: (method: string, params: Body, options?: RequestOptions) => {
      const answer = client.request(method, params, { ...options, owner: call })
      return method === 'tasks/cancel' ? line.stayFor(answer) : answer
    },
    onNotification: (method, handler) => client.onNotification(method, handler),
    onEnd: (end) => client.onState(({ to }) => to === 'closed' && end()),
  }
}
