/** Valid messages to test laws with: a reproducible pool for each version in which every method and part occurs. */
import fc from 'fast-check'
import type { Body } from '../../src/jsonrpc/index.ts'

import type { Loss, Part, ProtocolVersion, TranslationContext } from '../../src/versions/index.ts'
import { error } from './arbitraries/errors.ts'
import { clientCapabilities, implementation } from './arbitraries/metadata.ts'
import { methodArbitraries } from './arbitraries/methods.ts'
import { V26 } from './arbitraries/shape.ts'
import { identifier, logLevel } from './arbitraries/values.ts'

/** What a session would know beside the message. */
export interface Surroundings {
  readonly clientCapabilities?: Body
  readonly clientInfo?: Body
  readonly serverInfo?: Body
  readonly logLevel?: string
  readonly subscriptionId?: string | number
}

export interface Case {
  readonly version: ProtocolVersion
  readonly method: string
  readonly part: Part
  readonly body: Body | undefined
  readonly request?: Body
  readonly tool?: Body
  readonly around: Surroundings
}

export interface Entry {
  readonly method: string
  readonly part: Part
  readonly weight: number
  readonly arbitrary: fc.Arbitrary<Case>
}

/** Cases for each version, and so for each ordered pair of versions. */
export const runs: number = Number(process.env['PARLEY_LAW_RUNS'] ?? 1000)
export const seed: number = Number(process.env['PARLEY_LAW_SEED'] ?? 20260728)

/** Where most rules are. */
const heavy: Readonly<Record<string, number>> = {
  'tools/list': 6,
  'tools/call': 8,
  'prompts/get': 4,
  'sampling/createMessage': 6,
  'elicitation/create': 6,
  initialize: 5,
  'resources/read': 2,
}

const around: fc.Arbitrary<Surroundings> = fc.record(
  {
    clientCapabilities: clientCapabilities(V26),
    clientInfo: implementation(V26),
    serverInfo: implementation(V26),
    logLevel,
    subscriptionId: identifier,
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<Surroundings>

const entriesByVersion = new Map<ProtocolVersion, Entry[]>()

export function entries(version: ProtocolVersion): readonly Entry[] {
  const known = entriesByVersion.get(version)
  if (known !== undefined) return known
  const made = methodArbitraries(version).flatMap(({ method, params, result }): Entry[] => {
    const weight = heavy[method] ?? 1
    const entry = (part: Part, weight: number, contents: fc.Arbitrary<Partial<Case>>): Entry => ({
      method,
      part,
      weight,
      arbitrary: fc
        .tuple(contents, around)
        .map(([content, surroundings]) =>
          settle({ version, method, part, body: undefined, around: surroundings, ...content }),
        ),
    })
    const asked = entry('params', weight, params.map((body) => ({ body })) as fc.Arbitrary<Partial<Case>>)
    if (result === undefined) return [asked]
    const failed = result.chain((answer) =>
      error(version, answer.request?.['uri']).map((body) => ({ ...answer, body })),
    )
    return [asked, entry('result', weight, result), entry('error', Math.min(weight, 2), failed)]
  })
  entriesByVersion.set(version, made)
  return made
}

/** As it would come off a wire, and so that nobody can write to it. */
function settle(value: Case): Case {
  return deepFreeze(JSON.parse(JSON.stringify(value)) as Case)
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

const pools = new Map<Entry, readonly Case[]>()

function sizeOf(version: ProtocolVersion, entry: Entry): number {
  const total = entries(version).reduce((sum, { weight }) => sum + weight, 0)
  return Math.ceil((runs * entry.weight) / total)
}

export function casesOf(version: ProtocolVersion, entry: Entry): readonly Case[] {
  let pool = pools.get(entry)
  if (pool === undefined) {
    pool = fc.sample(entry.arbitrary, { seed, numRuns: sizeOf(version, entry) })
    pools.set(entry, pool)
  }
  return pool
}

/**
 * Holds a law against every case of a version. A case that breaks it is made as small as it can be before it is
 * reported. Returns how many cases the law looked at: those for which it does not answer `false`.
 */
export function hold(version: ProtocolVersion, law: (message: Case) => unknown): number {
  let looked = 0
  for (const entry of entries(version)) {
    for (const message of casesOf(version, entry)) {
      try {
        if (law(message) !== false) looked++
      } catch (broken) {
        fc.assert(
          fc.property(entry.arbitrary, (smaller) => void law(smaller)),
          { seed, numRuns: sizeOf(version, entry) },
        )
        throw broken
      }
    }
  }
  return looked
}

/**
 * Everything a translation of the message may ask for; ids are the same every time, so that two ways can be compared.
 */
export function contextOf(message: Case, losses?: Loss[]): TranslationContext {
  const { tool, request } = message
  return {
    ...message.around,
    mint: () => 'minted',
    ...(request === undefined ? {} : { request }),
    ...(tool === undefined ? {} : { tool: (name: string) => (name === tool['name'] ? tool : undefined) }),
    ...(losses === undefined ? {} : { onLoss: (loss: Loss) => void losses.push(loss) }),
  }
}
