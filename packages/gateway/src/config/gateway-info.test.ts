import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { gatewayInfo } from './index.ts'

it('gatewayInfo has the name and version of the package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(manifest).toMatchObject(gatewayInfo)
})
