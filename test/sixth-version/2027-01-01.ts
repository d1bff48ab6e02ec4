/**
 * A version that does not exist, as the one step file that a sixth version would be. It renames a field, and adds a
 * field, a method and a notification.
 */
import { type Body, isObject } from '../../packages/sdk/src/jsonrpc/index.ts'
import { notification, request } from '../../packages/sdk/src/protocol/index.ts'
import { change, defineStep, type RuleRow, type Step } from '../../packages/sdk/src/versions/change.ts'
import { edit, type Operation, omit, rename } from '../../packages/sdk/src/versions/operation.ts'
import { META } from '../../packages/sdk/src/versions/steps/2026-07-28/envelope.ts'
import { requestMethods } from '../../packages/sdk/src/versions/steps/2026-07-28/methods.ts'

const rules: readonly RuleRow[] = [
  ['E-01', 'shape', 'Requests name the version in their metadata, so each version writes its own name.'],
  ['E-02', 'shape', 'Tools may have a label, which servers called x-label before it was specified.'],
  ['E-03', 'shape', 'A call of a tool may say how urgent it is; older servers are not told.'],
  ['E-04', 'shape', 'Servers can show what a tool would do; older peers do not have the method.'],
]

const nameVersion = (version: string): Operation =>
  edit((params) => {
    const meta = isObject(params['_meta']) ? params['_meta'] : ({} as Body)
    return meta[META.version] === version ? params : { ...params, _meta: { ...meta, [META.version]: version } }
  }, 'names the version of the target')

export const step: Step<'2027-01-01', 'stateless'> = defineStep(
  { from: '2026-07-28', to: '2027-01-01', era: 'stateless' },
  rules,
  [
    change('name of the version', {
      rules: ['E-01'],
      why: 'Each request names the version it is written in.',
      up: [{ method: requestMethods, part: 'params', apply: nameVersion('2027-01-01'), envelope: true }],
      down: [{ method: requestMethods, part: 'params', apply: nameVersion('2026-07-28'), envelope: true }],
    }),
    change('labels of tools', {
      rules: ['E-02'],
      why: 'The field has another name and the same meaning.',
      up: [{ method: 'tools/list', part: 'result', at: 'tools[]', apply: rename('x-label', 'label') }],
      down: [{ method: 'tools/list', part: 'result', at: 'tools[]', apply: rename('label', 'x-label') }],
    }),
    change('urgent calls', {
      rules: ['E-03'],
      why: 'An older server has no use for it.',
      loses: 'how urgent a call is',
      severity: 'w',
      features: { added: ['urgency'] },
      down: [{ method: 'tools/call', part: 'params', apply: omit('urgency') }],
    }),
    change('previews', {
      rules: ['E-04'],
      why: 'Older peers do not have the method.',
      capabilities: { added: [{ path: 'server.previews', description: 'Shows what a tool would do.' }] },
      methods: {
        added: [
          request('tools/preview', 'client', { client: 'server.previews' }),
          notification('notifications/previews/list_changed', 'server', { server: 'server.previews' }),
        ],
      },
      features: { added: ['previews'] },
    }),
  ],
)
