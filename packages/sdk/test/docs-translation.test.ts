/**
 * The description of translation is made from the steps; `npx vitest run packages/sdk/test/docs-translation.test.ts -u`
 * renews it.
 */
import { describe, expect, it } from 'vitest'
import { explain, rules, versions } from '../src/index.ts'
import { steps } from '../src/versions/index.ts'

const { renderTranslation } = await import(new URL('../scripts/render-translation.mjs', import.meta.url).href)
const text: string = renderTranslation({ versions, rules, explain })

describe('X1 docs/translation.md', () => {
  it('is what the steps say', async () => {
    await expect(text).toMatchFileSnapshot(new URL('../../../docs/translation.md', import.meta.url).pathname)
  })

  it('has a line for every rule and a section for every change', () => {
    expect(rules.filter(({ id }) => !text.includes(`| ${id} `))).toEqual([])
    expect(steps.flatMap((step) => step.changes).filter(({ name }) => !text.includes(`### ${name}\n`))).toEqual([])
  })
})
