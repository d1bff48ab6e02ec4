/** Whether this machine can run the gateway at all. */
import { type Check, Findings } from './check.ts'

const OLDEST_NODE = 20

export function machineChecks(node: string = process.versions.node): Check[] {
  const findings = new Findings('this machine')
  const major = Number(node.split('.')[0])
  if (major >= OLDEST_NODE) findings.ok('node', `Node ${node}`)
  else findings.problem('node', `Node ${node} is too old`, `install Node ${OLDEST_NODE} or later`)
  return findings.checks
}
