/** Writes the documents that are made from code: `node packages/sdk/scripts/docs.mjs`, after a build. */
import { writeFileSync } from 'node:fs'
import * as parley from '../dist/index.js'
import { renderErrors } from './render-errors.mjs'
import { renderTranslation } from './render-translation.mjs'
import { renderVersions } from './render-versions.mjs'

const documents = {
  'errors.md': renderErrors(parley),
  'translation.md': renderTranslation(parley),
  'versions.md': renderVersions(parley),
}

for (const [name, text] of Object.entries(documents)) {
  writeFileSync(new URL(`../../../docs/${name}`, import.meta.url), text)
  console.log(`docs/${name}`)
}
