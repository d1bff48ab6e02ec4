/**
 * A client on the SDK that starts a server as its child, says so, and then ends as its first argument says. The rest of
 * the arguments are the server's command.
 */
import { connect } from '../../../src/client.ts'
import { childLink } from '../../../src/node/index.ts'

const [ending, command = '', ...args] = process.argv.slice(2)
// The mark by which the test finds all processes that belong to it.
const link = await childLink({ command, args, env: { PARLEY_TEST_MARK: process.env['PARLEY_TEST_MARK'] } })
await connect(link)
process.stdout.write(`${link.pid}\n`)
if (ending === 'exits') process.exit(0)
if (ending === 'throws') throw new Error('on purpose')
if (ending === 'runs out' || ending === 'waits') link.close()
if (ending === 'waits') await link.gone
