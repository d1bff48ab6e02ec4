/** Removes what earlier builds left behind, so that a deleted source does not live on in the package. */
import { rmSync } from 'node:fs'

rmSync(new URL('../packages/sdk/dist', import.meta.url), { recursive: true, force: true })
