/**
 * How a bridged server is named again on a command line: without headers, which may be secrets, and nothing that would
 * not work when it is copied.
 */
import { shellWord } from '../shell-word.ts'
import { shown } from '../target.ts'
import type { BridgeStart } from './starts.ts'

export function sameServer({ upstream }: BridgeStart): string {
  if (upstream.kind === 'configured') return `--config ${shellWord(upstream.config)} --server ${upstream.server}`
  if (upstream.kind === 'command') return ['--', ...[upstream.command, ...upstream.args].map(shellWord)].join(' ')
  const url = shown(new URL(upstream.url))
  return url === upstream.url ? shellWord(url) : 'with the same address'
}
