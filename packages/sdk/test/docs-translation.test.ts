import { expect, it } from 'vitest'
import { renderTranslation } from '../scripts/render-translation.mjs'
import { explain, rules, steps } from '../src/versions/index.ts'

it('X7 docs/translation.md says what the steps do', async () => {
  await expect(renderTranslation({ steps, rules, explain })).toMatchFileSnapshot('../../../docs/translation.md')
})
