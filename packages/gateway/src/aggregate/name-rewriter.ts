/** Rewrites the URIs, ids of tasks and loggers in one server's messages, so that clients of all servers can use them. */
import { type Body, isFlatTask, isObject } from 'parley-mcp/engine'
import { withAppLinks } from '../catalogue/index.ts'
import type { NameIndex } from './name-index.ts'
import type { TaskIds } from './task-ids.ts'

const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** A URI at its server, and the URI in the client's request. Several URIs lead to one resource. */
export interface AskedUri {
  readonly uriAtServer: string
  readonly uri: string
}

export class NameRewriter {
  readonly #server: string
  readonly #nameIndex: NameIndex
  readonly #tasks: TaskIds
  readonly #asked: AskedUri | undefined

  constructor(server: string, nameIndex: NameIndex, tasks: TaskIds, asked?: AskedUri) {
    this.#server = server
    this.#nameIndex = nameIndex
    this.#tasks = tasks
    this.#asked = asked
  }

  /** For the result of `resources/read`: the resource keeps the URI of the request. */
  answering(asked: AskedUri): NameRewriter {
    return new NameRewriter(this.#server, this.#nameIndex, this.#tasks, asked)
  }

  /** A notification or a question. */
  told(method: string, params: Body): Body {
    const renamed = this.#related(params)
    switch (method) {
      case 'notifications/message':
        return {
          ...renamed,
          logger: typeof renamed['logger'] === 'string' ? `${this.#server}/${renamed['logger']}` : this.#server,
        }
      case 'notifications/tasks/status':
        return this.#task(renamed) as Body
      default:
        return renamed
    }
  }

  /** A result. The same object when nothing in it has another name. */
  result(method: string, result: Body): Body {
    const renamed = this.#linked(this.#related(result))
    if (method.startsWith('tasks/')) return this.#aboutTasks(method, renamed)
    if (isFlatTask(renamed)) return this.#task(renamed) as Body
    return isObject(renamed['task']) && renamed['content'] === undefined
      ? { ...renamed, task: this.#task(renamed['task']) }
      : renamed
  }

  #aboutTasks(method: string, result: Body): Body {
    if (method === 'tasks/list' && Array.isArray(result['tasks']))
      return { ...result, tasks: result['tasks'].map((task) => this.#task(task)) }
    if (method === 'tasks/result') return result
    // The tasks extension has the result of the call inside the task.
    const shown = this.#task(result) as Body
    return isObject(shown['result'])
      ? { ...shown, result: this.#linked(withAppLinks(this.#server, shown['result'])) }
      : shown
  }

  #task(task: unknown): unknown {
    return isObject(task) && typeof task['taskId'] === 'string'
      ? { ...task, taskId: this.#tasks.publicId(this.#server, task['taskId']) }
      : task
  }

  /** With public URIs and ids in the metadata. */
  #related(body: Body): Body {
    const shown = withAppLinks(this.#server, body)
    const meta = shown['_meta']
    const related = isObject(meta) ? meta[RELATED_TASK] : undefined
    return related === undefined
      ? shown
      : { ...shown, _meta: { ...(meta as Body), [RELATED_TASK]: this.#task(related) } }
  }

  /** With public URIs in links and embedded resources. */
  #linked(result: Body): Body {
    let shown = result
    for (const field of ['content', 'contents', 'messages'] as const) {
      const list: unknown = result[field]
      if (!Array.isArray(list)) continue
      const mapped = this.#each(
        list,
        field === 'messages' ? (message) => this.#message(message) : (block) => this.#block(block),
      )
      if (mapped !== list) shown = { ...shown, [field]: mapped }
    }
    return shown
  }

  #message(message: unknown): unknown {
    if (!isObject(message)) return message
    const before: unknown = message['content']
    const content = Array.isArray(before) ? this.#each(before, (block) => this.#block(block)) : this.#block(before)
    return content === before ? message : { ...message, content }
  }

  #block(block: unknown): unknown {
    if (!isObject(block)) return block
    return this.#linkedBlock(withAppLinks(this.#server, block))
  }

  #linkedBlock(block: Body): Body {
    if (block['type'] === 'resource') {
      const { resource: given } = block
      const resource = isObject(given) ? this.#withPublicUri(withAppLinks(this.#server, given)) : given
      return resource === given ? block : { ...block, resource }
    }
    return block['type'] === 'resource_link' || block['type'] === undefined ? this.#withPublicUri(block) : block
  }

  #withPublicUri(resource: Body): Body {
    if (typeof resource['uri'] !== 'string') return resource
    const uri =
      resource['uri'] === this.#asked?.uriAtServer
        ? this.#asked.uri
        : this.#nameIndex.linkedUri(this.#server, resource['uri'])
    return uri === resource['uri'] ? resource : { ...resource, uri }
  }

  #each(list: readonly unknown[], change: (each: unknown) => unknown): readonly unknown[] {
    const mapped = list.map(change)
    return mapped.some((each, index) => each !== list[index]) ? mapped : list
  }
}
