/** Answers `tools/call`. The hot path: nothing waits that need not, and nothing is made that is not used. */
import { ParleyError, ToolError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { CallToolResult } from '../../protocol/index.ts'
import { describeIssues, type Issue, type Validated } from '../../schema/index.ts'
import { type Answer, type Inbound, InputRequired } from '../../session/index.ts'
import { supports } from '../../versions/index.ts'
import { Context } from '../context.ts'
import type { Conversation } from '../conversation.ts'
import { isPromise } from '../definition.ts'
import { isForPeer } from '../failure.ts'
import { asTask, restAsTask } from '../tasks/run-as-task.ts'
import { Background } from './background.ts'
import { generalText, referenceFrom, shownText } from './failure.ts'
import { errorResult, explicitError, explicitResult, plainResult, structuredResult, ToolResult } from './results.ts'
import type { DefinedTool } from './tool.ts'

/** Or that there is a task. */
type CallAnswer = CallToolResult | InputRequired | Body

export function callTool(conversation: Conversation, inbound: Inbound): Answer | Promise<Answer> {
  const { name, arguments: args = {} } = inbound.params
  if (typeof name !== 'string') throw new ParleyError('invalid_params', { message: '"name" must be a string' })
  if (!isObject(args)) throw new ParleyError('invalid_params', { message: '"arguments" must be an object' })
  const tool = conversation.host.registry.tools.get(name)
  if (tool === undefined) throw unknownTool(name)
  if (tool.taskSupport !== 'forbidden' || inbound.params['task'] !== undefined) {
    const task = asTask(conversation, inbound, tool, (begun) => begin(conversation, begun, tool, args))
    if (task !== undefined) return task
  }
  return begin(conversation, inbound, tool, args)
}

function begin(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  args: Body,
): CallAnswer | Promise<CallAnswer> {
  try {
    const checked = tool.input.validate(args)
    if (isPromise(checked)) return whenChecked(conversation, inbound, tool, checked)
    return run(conversation, inbound, tool, checked)
  } catch (thrown) {
    return failed(conversation, inbound, tool, thrown)
  }
}

async function whenChecked(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  checking: PromiseLike<Validated>,
): Promise<CallAnswer> {
  try {
    const checked = await checking
    // A call that was cancelled meanwhile must not begin.
    if (inbound.cancelled) throw new ParleyError('request_cancelled')
    return await run(conversation, inbound, tool, checked)
  } catch (thrown) {
    return failed(conversation, inbound, tool, thrown)
  }
}

function run(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  checked: Validated,
): CallAnswer | Promise<CallAnswer> {
  if (!checked.ok) return badArguments(inbound, tool, checked.issues)
  const ctx = new Context(inbound, conversation)
  return settle(conversation, inbound, tool, ctx, tool.handler(checked.value, ctx))
}

function settle(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  ctx: Context,
  given: unknown,
): CallAnswer | Promise<CallAnswer> {
  const returned = Context.outcome(ctx, given)
  if (isPromise(returned)) return whenReturned(conversation, inbound, tool, ctx, returned)
  return finish(conversation, inbound, tool, ctx, returned)
}

async function whenReturned(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  ctx: Context,
  returning: PromiseLike<unknown>,
): Promise<CallAnswer> {
  try {
    return await finish(conversation, inbound, tool, ctx, await returning)
  } catch (thrown) {
    return failed(conversation, inbound, tool, thrown)
  }
}

function finish(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  ctx: Context,
  returned: unknown,
): CallAnswer | Promise<CallAnswer> {
  if (returned instanceof InputRequired) return Context.withState(ctx, returned)
  if (returned instanceof Background) return goOn(conversation, inbound, tool, ctx, returned)
  const unawaited = Context.unawaited(ctx)
  if (unawaited !== undefined && !inbound.cancelled) warn(conversation, inbound, tool, unawaited)
  if (tool.output === undefined) return plainResult(returned)
  const explicit = returned instanceof ToolResult ? returned.fields : undefined
  if (explicit?.isError === true) return explicitError(explicit)
  const checked = tool.output.validate(explicit === undefined ? returned : explicit.structured)
  // How a result is shown to older peers depends on the listed schema, which some libraries make only in their own
  // time.
  if (isPromise(checked) || tool.shown === undefined) return whenShown(conversation, inbound, tool, checked, explicit)
  return structured(tool, checked, explicit)
}

/** The result stays valid, but the answer has no receiver. */
function warn({ host }: Conversation, { method, session }: Inbound, { key }: DefinedTool, question: string): void {
  const message = `Tool "${key}" returned before its question "${question}" was answered: await what ctx.elicit, ctx.sample and the like give`
  host.report(new Error(message), { during: `a question of ${method}`, name: key, session })
}

/** Where the rest does not become a task, it is part of the call like what came before. */
function goOn(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  ctx: Context,
  { run: rest }: Background,
): CallAnswer | Promise<CallAnswer> {
  const task = restAsTask(conversation, inbound, tool, (begun) => {
    try {
      const own = new Context(begun, conversation)
      return settle(conversation, begun, tool, own, rest(own))
    } catch (thrown) {
      return failed(conversation, begun, tool, thrown)
    }
  })
  return task ?? settle(conversation, inbound, tool, ctx, rest(ctx))
}

async function whenShown(
  conversation: Conversation,
  inbound: Inbound,
  tool: DefinedTool,
  checking: Validated | PromiseLike<Validated>,
  explicit: ToolResult['fields'] | undefined,
): Promise<CallToolResult> {
  try {
    await tool.show()
    return structured(tool, await checking, explicit)
  } catch (thrown) {
    return failed(conversation, inbound, tool, thrown)
  }
}

function structured(tool: DefinedTool, checked: Validated, explicit: ToolResult['fields'] | undefined): CallToolResult {
  if (!checked.ok)
    throw new TypeError(
      `Tool "${tool.key}" returned what its output schema does not allow: ${describeIssues(checked.issues)}`,
    )
  return explicit === undefined ? structuredResult(checked.value) : explicitResult(explicit, checked.value)
}

/** C-29: newer versions let the model read what was wrong, older ones have an error for it. */
function badArguments(inbound: Inbound, tool: DefinedTool, issues: readonly Issue[]): CallToolResult {
  const message = `Invalid arguments for tool "${tool.key}": ${describeIssues(issues)}`
  if (supports(inbound.caller.version, 'input-errors-as-results')) return errorResult(new ToolError(message))
  throw new ParleyError('tool_arguments_invalid', { message, data: { tool: tool.key } })
}

/**
 * Hosts take a JSON-RPC error for a broken server, so what a handler throws is a result the model can read. A catalogue
 * error says what it is.
 */
function failed(conversation: Conversation, inbound: Inbound, tool: DefinedTool, thrown: unknown): CallToolResult {
  if (!(thrown instanceof ToolError) && (inbound.cancelled || isForPeer(thrown)))
    return refused(conversation, inbound, tool, thrown)
  const error = thrown instanceof ToolError ? thrown : reported(conversation, inbound, tool, thrown)
  conversation.onToolError?.(error.message, thrown)
  return errorResult(error, tool.output !== undefined)
}

function refused(conversation: Conversation, inbound: Inbound, tool: DefinedTool, thrown: unknown): CallToolResult {
  const error = conversation.failure(inbound, thrown, tool.key)
  // D-59: handshake versions have no code for it, and the model can tell the user.
  if (error.kind === 'missing_client_capability' && supports(inbound.caller.version, 'handshake')) {
    return errorResult(new ToolError(error.message))
  }
  throw error
}

function reported({ host }: Conversation, { method, session }: Inbound, tool: DefinedTool, thrown: unknown): ToolError {
  const shown = shownText(thrown, host.showErrors)
  const reference = shown === undefined ? referenceFrom(session.mint()) : undefined
  host.report(thrown, { during: method, name: tool.key, session, reference })
  return new ToolError(shown ?? generalText(tool.key, String(reference)))
}

function unknownTool(name: string): ParleyError {
  return new ParleyError('tool_not_found', {
    message: `Unknown tool: ${name.slice(0, 200)}`,
    data: { name: name.slice(0, 200) },
  })
}
