/**
 * The dialect of erlmcp, beside 2025-11-25: every difference as a named change. `up` reads it, `down` writes it. The
 * papers on erlmcp are cited as S0 to S4.
 */
import { change } from '../change.ts'
import { defaults, edit, omit, omitSilently } from '../operation.ts'
import type { Dialect } from './dialect.ts'
import { beginnableTasks, clientTasks, flagsToObjects, ofServers, serverTasks, wanted } from './erlmcp-capabilities.ts'
import {
  argumentsFromErlmcp,
  refFromErlmcp,
  refToErlmcp,
  suggestionsFromErlmcp,
  suggestionsToErlmcp,
} from './erlmcp-completion.ts'
import { errorFromErlmcp, errorMethods, errorToErlmcp } from './erlmcp-errors.ts'
import { askPage, listMethods, readPage, writePage } from './erlmcp-lists.ts'
import { standardMethod, wireMethod } from './erlmcp-methods.ts'
import { contentsFromErlmcp, contentsToErlmcp, resourceFromErlmcp, resourceToErlmcp } from './erlmcp-resources.ts'
import { sampledFromErlmcp, sampledToErlmcp, samplingFromErlmcp, samplingToErlmcp } from './erlmcp-sampling.ts'
import {
  callFromCreate,
  cancelledFromErlmcp,
  createdFromErlmcp,
  createdToErlmcp,
  createFromCall,
  gottenFromErlmcp,
  taskFromErlmcp,
  taskToErlmcp,
  toolFromErlmcp,
} from './erlmcp-tasks.ts'

const VERSION = '2025-11-25'

export const erlmcp: Dialect = {
  version: VERSION,
  wireMethod,
  standardMethod,
  changes: [
    change('error codes', {
      rules: ['E3', 'D'],
      why: 'S4 numbers errors from -32001, -32031 and 1001 on; where the specification has a code of its own, that one counts everywhere else.',
      loses: 'the number of an error that erlmcp gives another meaning; it travels as data',
      severity: 'i',
      up: [
        {
          method: errorMethods,
          part: 'error',
          apply: edit(errorFromErlmcp, 'gives errors the codes of the specification'),
        },
      ],
      down: [{ method: errorMethods, part: 'error', apply: edit(errorToErlmcp, 'gives errors the codes of erlmcp') }],
    }),
    change('capabilities that are asked for', {
      rules: ['D'],
      why: 'S1, S3 and S4 let a server offer what both sides name, so a client names everything; S1 lets it leave out the version.',
      up: [
        { method: 'initialize', part: 'params', apply: defaults({ protocolVersion: VERSION, capabilities: {} }) },
        {
          method: 'initialize',
          part: 'params',
          at: 'capabilities',
          apply: [
            edit(flagsToObjects, 'writes flags as objects'),
            edit(clientTasks, 'removes the wish for tasks'),
            omitSilently(...ofServers),
          ],
        },
        {
          method: 'initialize',
          part: 'params',
          at: 'capabilities.experimental',
          apply: edit(flagsToObjects, 'writes flags as objects'),
        },
        {
          method: 'initialize',
          part: 'result',
          at: 'capabilities',
          apply: [
            edit(flagsToObjects, 'writes flags as objects'),
            edit(serverTasks, 'says which requests run as tasks'),
          ],
        },
        {
          method: 'initialize',
          part: 'result',
          at: 'capabilities.experimental',
          apply: edit(flagsToObjects, 'writes flags as objects'),
        },
      ],
      down: [
        { method: 'initialize', part: 'params', at: 'capabilities', apply: defaults(wanted) },
        {
          method: 'initialize',
          part: 'result',
          at: 'capabilities',
          apply: edit(beginnableTasks, 'removes tasks that no tool call can be'),
        },
      ],
    }),
    change('tasks made by tasks/create', {
      rules: ['D'],
      why: 'S4 begins a task with a request of its own that is answered with the id, and knows other states.',
      loses: 'that a task waits for input, and for how long it is kept: the limit of its time is the nearest there is',
      severity: 'i',
      up: [
        { method: 'tasks/create', part: 'params', apply: edit(callFromCreate, 'makes it a tool call with a task') },
        { method: 'tasks/create', part: 'result', apply: edit(createdFromErlmcp, 'tells the whole task') },
        { method: 'tasks/get', part: 'result', apply: edit(gottenFromErlmcp, 'tells the whole task') },
        { method: 'tasks/cancel', part: 'result', apply: edit(cancelledFromErlmcp, 'tells the whole task') },
        { method: 'tasks/list', part: 'result', at: 'tasks[]', apply: edit(taskFromErlmcp, 'tells the whole task') },
        { method: 'notifications/tasks/status', part: 'params', apply: edit(taskFromErlmcp, 'tells the whole task') },
        {
          method: 'tools/list',
          part: 'result',
          at: 'tools[]',
          apply: edit(toolFromErlmcp, 'allows the tool to run as a task'),
        },
      ],
      down: [
        { method: 'tasks/create', part: 'params', apply: edit(createFromCall, 'makes the call an action') },
        { method: 'tasks/create', part: 'result', apply: edit(createdToErlmcp, 'tells the id first') },
        { method: 'tasks/create', part: 'result', at: 'task', apply: edit(taskToErlmcp, 'translates the state') },
        { method: ['tasks/get', 'tasks/cancel'], part: 'result', apply: edit(taskToErlmcp, 'translates the state') },
        { method: 'tasks/list', part: 'result', at: 'tasks[]', apply: edit(taskToErlmcp, 'translates the state') },
        { method: 'notifications/tasks/status', part: 'params', apply: edit(taskToErlmcp, 'translates the state') },
      ],
    }),
    change('questions are no tasks', {
      rules: ['D'],
      why: 'S4 has tasks that a client begins, and no others.',
      loses: 'the wish that the client runs a question as a task: it is answered like any other',
      severity: 'i',
      down: [{ method: ['sampling/createMessage', 'elicitation/create'], part: 'params', apply: omit('task') }],
    }),
    change('cursor and limit', {
      rules: ['D'],
      why: 'S4 calls both the cursor that is sent and the one that comes back `cursor`, and lets the client say how long a page is.',
      severity: 'i',
      up: [
        { method: listMethods, part: 'params', apply: edit(askPage, 'keeps the limit for the answer') },
        { method: listMethods, part: 'result', apply: edit(readPage, 'renames cursor to nextCursor') },
      ],
      down: [
        {
          method: listMethods,
          part: 'result',
          apply: edit(writePage, 'renames nextCursor to cursor, and hands out no more than the limit'),
        },
      ],
    }),
    change('time of the last change', {
      rules: ['D'],
      why: 'S4 tells it in milliseconds, the specification as text among the annotations.',
      up: [
        {
          method: 'resources/list',
          part: 'result',
          at: 'resources[]',
          apply: edit(resourceFromErlmcp, 'writes the time as text'),
        },
      ],
      down: [
        {
          method: 'resources/list',
          part: 'result',
          at: 'resources[]',
          apply: edit(resourceToErlmcp, 'writes the time as a number'),
        },
      ],
    }),
    change('names of contents', {
      rules: ['X4', 'D'],
      why: 'S2 §8 requires a name of everything that is read, and makes it of the URI; no version of the specification has one.',
      up: [
        {
          method: 'resources/read',
          part: 'result',
          at: 'contents[]',
          apply: edit(contentsFromErlmcp, 'removes a name that only repeats the URI'),
        },
      ],
      down: [
        { method: 'resources/read', part: 'result', at: 'contents[]', apply: edit(contentsToErlmcp, 'adds a name') },
      ],
    }),
    change('completion', {
      rules: ['D'],
      why: 'S4 completes arguments of tools, too, and lists suggestions with labels.',
      loses: 'the labels of suggestions',
      severity: 'i',
      up: [
        {
          method: 'completion/complete',
          part: 'params',
          at: 'ref',
          apply: edit(refFromErlmcp, 'renames the kind of reference'),
        },
        {
          method: 'completion/complete',
          part: 'params',
          at: 'context.arguments',
          apply: edit(argumentsFromErlmcp, 'writes values as text'),
        },
        {
          method: 'completion/complete',
          part: 'result',
          apply: edit(suggestionsFromErlmcp, 'puts the values under completion'),
        },
      ],
      down: [
        {
          method: 'completion/complete',
          part: 'params',
          at: 'ref',
          apply: edit(refToErlmcp, 'renames the kind of reference'),
        },
        {
          method: 'completion/complete',
          part: 'result',
          apply: edit(suggestionsToErlmcp, 'lists the values as suggestions'),
        },
      ],
    }),
    change('sampling', {
      rules: ['D'],
      why: 'S4 has the limits of the answer among the preferences, a wish for context under another name, and an answer without a role.',
      loses: 'wishes for context that 2025-11-25 has no word for',
      severity: 'i',
      up: [
        {
          method: 'sampling/createMessage',
          part: 'params',
          apply: edit(samplingFromErlmcp, 'takes the limits out of the preferences'),
        },
        {
          method: 'sampling/createMessage',
          part: 'result',
          apply: edit(sampledFromErlmcp, 'adds the role, renames the reason to stop'),
        },
      ],
      down: [
        {
          method: 'sampling/createMessage',
          part: 'params',
          apply: edit(samplingToErlmcp, 'puts the limits among the preferences'),
        },
        {
          method: 'sampling/createMessage',
          part: 'result',
          apply: edit(sampledToErlmcp, 'lists the content, renames the reason to stop'),
        },
      ],
    }),
  ],
}
