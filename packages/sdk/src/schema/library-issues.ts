/** The library's findings, reduced to what helps: the causes, without the chain of schemas above them. */
import type { OutputUnit } from '@cfworker/json-schema'
import { type Issue, MAX_ISSUES } from './issue.ts'

/** Findings that only say that there is another one further down. */
const ABOVE: ReadonlySet<string> = new Set(
  [
    '$recursiveRef $ref additionalItems additionalProperties allOf dependentSchemas if items patternProperties prefixItems',
    'properties unevaluatedItems unevaluatedProperties',
  ].flatMap((names) => names.split(' ')),
)

/** Only the summary of these is kept: the reasons of each alternative do not help. */
const CHOICES: ReadonlySet<string> = new Set(['anyOf', 'oneOf'])

export function issuesOf(units: readonly OutputUnit[], value: unknown): readonly Issue[] {
  const issues: Issue[] = []
  let choice: string | undefined
  for (const unit of units) {
    if (choice !== undefined && (unit.keywordLocation.startsWith(`${choice}/`) || unit.keyword === 'false')) continue
    choice = CHOICES.has(unit.keyword) ? unit.keywordLocation : undefined
    if (!ABOVE.has(unit.keyword)) issues.push(issueOf(unit, value))
    if (issues.length === MAX_ISSUES) break
  }
  return issues.length > 0 ? issues : [{ path: [], message: 'does not fit the schema' }]
}

type Wording = readonly [pattern: RegExp, words: (found: RegExpExecArray) => string]

/** In the library's wording the value is an "instance"; a reader has never heard of it. */
const wordings: readonly Wording[] = [
  [
    /^Instance type "(.*?)" is invalid\. Expected "(.*)"\.$/s,
    ([, got, expected]) => `expected ${expected?.replaceAll('", "', ' or ')}, got ${got}`,
  ],
  [/^False boolean schema\.$/, () => 'is not allowed'],
  [/^Instance does not match any subschemas\.$/, () => 'fits none of the allowed forms'],
  [
    /^Instance does not match exactly one subschema \((\d+) matches\)\.$/,
    ([, count]) =>
      count === '0' ? 'fits none of the allowed forms' : `fits ${count} of the allowed forms instead of one`,
  ],
  [/^Instance matched "not" schema\.$/, () => 'has a form that is ruled out'],
  [/^Instance does not match any of (\[.*\])\.$/s, ([, list]) => `must be one of ${list?.slice(1, -1)}`],
  [/^Instance does not match (.*)\.$/s, ([, one]) => `must be ${one}`],
  [/^String does not match format "(.*)"\.$/s, ([, format]) => `must be a valid ${format}`],
  [/^(?:Instance|String|Array) (.*?)\.?$/s, ([, rest]) => rest ?? ''],
  [/^(.*?)\.?$/s, ([, all]) => all ?? ''],
]

function issueOf(unit: OutputUnit, value: unknown): Issue {
  const path = pathOf(unit.instanceLocation, value)
  const absent = /^Instance does not have required property "(.*)"\.$/s.exec(unit.error)?.[1]
  if (absent !== undefined) return { path: [...path, absent], message: 'is required' }
  for (const [pattern, words] of wordings) {
    const found = pattern.exec(unit.error)
    if (found !== null) return { path, message: words(found) }
  }
  return { path, message: unit.error }
}

/** `#/tags/0` read along the value, which tells an index from a key. */
function pathOf(location: string, value: unknown): (string | number)[] {
  let here = value
  return location
    .split('/')
    .slice(1)
    .map((part) => {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      const list = Array.isArray(here)
      here = (here as Record<string, unknown> | undefined)?.[key]
      return list ? Number(key) : key
    })
}
