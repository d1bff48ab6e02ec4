/** `docs/translation.md` from the rules and the steps. */
import { code, table } from './markdown.mjs'

const SEVERITY = { i: 'info', w: 'warning', E: 'error' }

function actions(list) {
  return list.map(({ methods, part, at, does, profile, envelope }) => {
    const shown = methods.length > 6 ? `${methods.length} methods` : methods.map(code).join(', ')
    const place = at === '' ? part : `${part} ${code(at)}`
    const notes = [profile && `${profile} only`, envelope && 'envelope'].filter(Boolean)
    return `${shown}, ${place}: ${does}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
  })
}

function changeSection(up, down) {
  const lines = [
    '',
    `### ${up.change}`,
    '',
    `${up.rules.length === 1 ? 'Rule' : 'Rules'} ${up.rules.join(', ')}. ${up.why}`,
  ]
  for (const [entry, name] of [
    [up, 'Up'],
    [down, 'Down'],
  ]) {
    const done = actions(entry.actions)
    if (done.length > 0) lines.push('', `${name}:`, '', ...done.map((action) => `- ${action}`))
  }
  const losing = down.loses === undefined ? up : down
  if (losing.loses !== undefined)
    lines.push(
      '',
      `Loses: ${losing.loses.replace(/\.$/, '')}${losing.severity === undefined ? '' : ` (${SEVERITY[losing.severity]})`}.`,
    )
  return lines
}

function stepSection(older, newer, rules, explain) {
  const up = explain(older, newer)
  const down = explain(newer, older)
  const letter = up.entries[0].rules[0].charAt(0)
  const own = rules.filter((rule) => rule.id.startsWith(`${letter}-`))
  const lines = ['', `## ${older} and ${newer}`, '']
  const facts = [
    ['Methods added', up.addedMethods],
    ['Methods removed', up.removedMethods],
    ['Capabilities added', up.addedCapabilities],
    ['Capabilities removed', up.removedCapabilities],
    ['Features added', up.addedFeatures],
    ['Features removed', up.removedFeatures],
  ].filter(([, names]) => names.length > 0)
  if (facts.length > 0) lines.push(...facts.map(([name, names]) => `- ${name}: ${names.map(code).join(', ')}`), '')
  lines.push(
    table(
      ['Rule', 'Kind', 'What it says'],
      own.map((rule) => [rule.id, rule.kind, rule.summary]),
    ),
  )
  for (const entry of up.entries)
    lines.push(
      ...changeSection(
        entry,
        down.entries.find((other) => other.change === entry.change),
      ),
    )
  return lines
}

export function renderTranslation({ versions, rules, explain }) {
  return `${[
    '# Translation between versions',
    '',
    'Generated from `packages/sdk/src/versions`; after a change run `npx vitest run packages/sdk/test/docs-translation.test.ts -u`.',
    '',
    'A message from an older to a newer version goes *up*, the other way *down*; a chain of versions is walked step by step. The `lenient` profile leaves fields an',
    'older reader merely does not know; the `strict` profile removes them or moves them to a field that reader shows. Every loss is reported with the id of its rule,',
    'its place in the message and a severity: info (cosmetic), warning (a user may notice) or error (the operation failed because of the gap).',
    '',
    'Kinds of rules: *shape* rewrites one message, *flow* is a conversation that takes another form, *transport* concerns bytes, headers and streams, and *prose* changed',
    'words only. Actions marked *envelope* frame whole messages; sessions write that part themselves.',
    ...versions.slice(1).flatMap((newer, at) => stepSection(versions[at], newer, rules, explain)),
    '',
    '## Within every version',
    '',
    table(
      ['Rule', 'Kind', 'What it says'],
      rules.filter(({ id }) => id.startsWith('R-')).map((rule) => [rule.id, rule.kind, rule.summary]),
    ),
  ].join('\n')}\n`
}
