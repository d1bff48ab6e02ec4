/** Whether this machine can run the gateway at all. */
import type { Findings } from './check.ts'

const OLDEST_NODE = 20

export function machineChecks(findings: Findings, node: string = process.versions.node): void {
  const major = Number(node.split('.')[0])
  if (major >= OLDEST_NODE) findings.ok('node', `Node ${node}`)
  else findings.problem('node', `Node ${node} is too old`, `install Node ${OLDEST_NODE} or later`)
}
