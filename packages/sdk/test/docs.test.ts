/**
 * The documents made from code are those that are committed; `npx vitest run packages/sdk/test/docs.test.ts -u` renews
 * them.
 */
import { describe, expect, it } from 'vitest'
import * as parley from '../src/index.ts'

const script = (name: string) => import(new URL(`../scripts/${name}`, import.meta.url).href)
const document = (name: string) => new URL(`../../../docs/${name}`, import.meta.url).pathname

describe('E1 V2 documents made from code', () => {
  it('docs/errors.md', async () => {
    const { renderErrors } = await script('render-errors.mjs')
    await expect(renderErrors(parley)).toMatchFileSnapshot(document('errors.md'))
  })

  it('docs/versions.md', async () => {
    const { renderVersions } = await script('render-versions.mjs')
    await expect(renderVersions(parley)).toMatchFileSnapshot(document('versions.md'))
  })

  it('every error kind has its line', async () => {
    const { renderErrors } = await script('render-errors.mjs')
    const text: string = renderErrors(parley)
    expect(parley.errorKinds.filter((kind) => !text.includes(`| \`${kind}\``))).toEqual([])
  })

  it('every method, capability and feature of every version has its line', async () => {
    const { renderVersions } = await script('render-versions.mjs')
    const text: string = renderVersions(parley)
    const listed = parley.versions.flatMap((version) => [
      ...parley.methodsOf(version).map(({ name }) => `| \`${name}\``),
      ...parley.capabilitiesOf(version).map(({ path }) => `| \`${path}\``),
      ...parley.features(version).map((feature) => `| ${feature} `),
    ])
    expect(listed.filter((line) => !text.includes(line))).toEqual([])
  })
})
