/**
 * F9, D-20: the same handler gives the same answers and the same effects, whether its questions are pushed, its call is
 * parked, or it is run again.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createServer, tool } from '../../src/server.ts'
import { connect, type TestOptions, testVersions } from '../../src/testing.ts'
import { supports } from '../../src/versions/index.ts'
import { meaningOf, type Outcome, type Program, programs, run, user } from './program.ts'

const modes = testVersions.flatMap((version) =>
  supports(version, 'mrtr')
    ? [
        { version, mode: 'park', stateless: false },
        { version, mode: 'replay', stateless: true },
      ]
    : [{ version, mode: 'push', stateless: false }],
)

async function outcomeOf(program: Program, stateless: boolean, options: TestOptions): Promise<Outcome> {
  const effects: string[] = []
  const server = createServer({ name: 'programs', version: '1.0.0' }, { stateless, onError: () => {} }).add(
    tool('run', {}, (_, ctx) => run(program, ctx, (effect) => void effects.push(effect))),
  )
  const client = await connect(server, { ...options, ...user, onLog: () => {} } as TestOptions)
  try {
    const { text, isError } = await client.call('run', {}, { throwOnError: false, onProgress: () => {} })
    return {
      said: text.includes(' failed because of an error in the server') ? 'masked' : text,
      effects: isError && text === '' ? ['?'] : effects,
    }
  } catch (error) {
    return { said: `thrown: ${(error as Error).message}`, effects }
  } finally {
    await client.close()
    await server.close()
  }
}

describe.each(modes)('$version, $mode', ({ version, stateless }) => {
  it('random handlers mean the same', async () => {
    await fc.assert(
      fc.asyncProperty(programs(supports(version, 'elicitation')), async (program) => {
        expect(await outcomeOf(program, stateless, { version })).toEqual(meaningOf(program))
      }),
      { numRuns: 150 },
    )
  })
})
