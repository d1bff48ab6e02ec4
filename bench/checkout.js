/** A checkout whose build of Parley is measured: this one, or the one that `--beside` names. */
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const HERE = fileURLToPath(new URL('..', import.meta.url))

/** The end of the names of results that belong to the other checkout. */
export const BESIDE = ' (beside)'

/** This checkout, and the other one where a folder is given. `nameOf` gives the name of a result of a checkout. */
export function checkoutsOf(beside) {
  const checkout = (root, suffix) => ({ root, nameOf: (name) => `${name}${suffix}` })
  return [checkout(HERE, ''), ...(beside === undefined ? [] : [checkout(resolve(beside), BESIDE)])]
}

/** The address of an entry of the SDK (`server`, `client`, `node`) as the checkout has built it. */
export const entryOf = (root, entry) => pathToFileURL(join(root, 'packages/sdk/dist', `${entry}.js`)).href

/** The program of the gateway as the checkout has built it. */
export const gatewayOf = (root) => join(root, 'packages/gateway/dist/cli.js')

/** The variable that tells a server process which checkout to load. */
const VARIABLE = 'BENCH_CHECKOUT'

export const environmentFor = (root = HERE) => ({ ...process.env, [VARIABLE]: root })

/** In a server process: an entry of the SDK of the checkout that the bench chose. */
export const importParley = (entry) => import(entryOf(process.env[VARIABLE] ?? HERE, entry))
