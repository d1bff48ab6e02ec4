/** The options of the suites. */
import { parseArgs } from 'node:util'
import { checkoutsOf } from './checkout.js'

/** `--only` and `--peers` are lists with commas; they leave out the rest. */
export function readOptions(args) {
  const flag = { type: 'boolean' }
  const text = { type: 'string' }
  const { values } = parseArgs({ args, options: { quick: flag, check: flag, only: text, peers: text, beside: text } })
  const isListed = (list, name) => list === undefined || list.split(',').includes(name)
  return {
    ...values,
    isPart: (id) => isListed(values.only, id),
    /** Beside another checkout only Parley is measured. */
    isPeer: (file) => (values.beside === undefined ? isListed(values.peers, file) : file === 'parley'),
    checkouts: checkoutsOf(values.beside),
  }
}
