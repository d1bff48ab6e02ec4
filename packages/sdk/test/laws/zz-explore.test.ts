import { it } from 'vitest'
import { versions } from '../../src/protocol/index.ts'
import { isVerdict, methodIn } from '../../src/versions/index.ts'
import { UNKNOWN } from './arbitraries/shape.ts'
import { casesOf, entries, type Case } from './cases.ts'
import { judge } from './oracle.ts'
import { fieldsNamed, isInside } from './paths.ts'
import { downward, pairs, profiles, translate, translateBody, upward } from './translate.ts'

const all = (v: never) => entries(v).flatMap((e) => [...casesOf(v, e)])
function diff(a: unknown, b: unknown, path: string, out: string[]): void {
  if (typeof a === 'object' && a !== null && typeof b === 'object' && b !== null && Array.isArray(a) === Array.isArray(b)) {
    for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const p = Array.isArray(a) ? `${path}[]` : `${path}.${k}`
      const [x, y] = [(a as any)[k], (b as any)[k]]
      if (!(k in a)) out.push(`${p} ADDED ${JSON.stringify(y)?.slice(0,40)}`)
      else if (!(k in b)) out.push(`${p} GONE ${empty(x) ? '(empty)' : ''}`)
      else diff(x, y, p, out)
    }
  } else if (!Object.is(a, b)) out.push(`${path} CHANGED ${JSON.stringify(a)?.slice(0,50)} → ${JSON.stringify(b)?.slice(0,50)}`)
}
const empty = (x: unknown) => x === null || x === '' || (typeof x === 'object' && Object.keys(x as object).length === 0)
const tally = new Map<string, { n: number; where: Set<string>; eg: string }>()
const note = (law: string, what: string, where: string, eg: unknown) => {
  const key = `${law} ${what}`
  const t = tally.get(key) ?? { n: 0, where: new Set(), eg: JSON.stringify(eg)?.slice(0, 400) ?? '' }
  t.n++; t.where.add(where); tally.set(key, t)
}
const sh = (v: string) => v.slice(2, 7)
it('explores', () => {
  const want = process.env['LAW'] ?? 'abef'
  for (const profile of profiles) {
    if (want.includes('a')) for (const { from, to } of pairs) for (const m of all(from as never)) {
      try {
      const { outcome } = translate(m, to, { profile })
      if (isVerdict(outcome) || methodIn(to, m.method) === undefined) continue
      const j = judge(to, m.method, m.part, outcome)
      if (j) note('a', `${m.method} ${m.part} ${j.slice(0, 160)}`, `${profile[0]} ${sh(from)}>${sh(to)}`, m.body)
      } catch (e) { note('a', `${m.method} ${m.part} THROW ${(e as Error).stack?.slice(0,300)}`, `${profile[0]} ${sh(from)}>${sh(to)}`, m.body) }
    }
    if (want.includes('b')) for (const { from, to } of upward) for (const scope of ['message', 'body'] as const) for (const m of all(from as never)) {
      const up = translate(m, to, { profile, scope })
      if (isVerdict(up.outcome) || up.losses.length) continue
      const down = translateBody(m, up.outcome, to, from, { profile, scope })
      if (down.losses.length) note('b', `${m.method} ${m.part} LOSS ${down.losses[0]!.rule} ${down.losses[0]!.path.replace(/\d+/g, '')}`, `${profile[0]}${scope[0]} ${sh(from)}>${sh(to)}`, m.body)
      const out: string[] = []
      diff(m.body, down.outcome, '', out)
      for (const d of out) note('b', `${m.method} ${m.part} ${d}`, `${profile[0]}${scope[0]} ${sh(from)}>${sh(to)}`, m.body)
    }
    if (want.includes('f')) for (const { from, to } of downward) for (const m of all(from as never)) {
      const down = translate(m, to, { profile })
      if (isVerdict(down.outcome) || down.losses.length) continue
      const up = translateBody(m, down.outcome, to, from, { profile })
      const out: string[] = []
      if (isVerdict(up.outcome)) out.push(`VERDICT`)
      else diff(m.body, up.outcome, '', out)
      for (const d of out) if (!/GONE \(empty\)|resultType|ttlMs|cacheScope|_meta.io.model/.test(d)) note('f', `${m.method} ${m.part} ${d}`.replace(/properties\.\w+/g,'properties.*'), `${profile[0]} ${sh(from)}>${sh(to)}`, m.body)
    }
    if (want.includes('e')) for (const { from, to } of pairs) for (const m of all(from as never)) {
      const { outcome, losses } = translate(m, to, { profile })
      if (isVerdict(outcome)) continue
      const there = new Set(fieldsNamed(UNKNOWN, outcome).map(({ value }) => value))
      for (const { path, value } of fieldsNamed(UNKNOWN, m.body)) {
        if (there.has(value) || losses.some((loss) => isInside(path, loss.path))) continue
        note('e', `${m.method} ${m.part} ${path.replace(/\d+/g, '')} losses ${losses.map((l) => l.rule + ' ' + l.path).join()}`.slice(0, 160), `${profile[0]} ${sh(from)}>${sh(to)}`, m.body)
      }
    }
  }
  for (const [k, t] of [...tally].sort()) console.log(`${k}  ×${t.n} [${[...t.where].slice(0,6).join(', ')}${t.where.size>6?'…':''}]${process.env['EG'] ? '\n      ' + t.eg : ''}`)
})
