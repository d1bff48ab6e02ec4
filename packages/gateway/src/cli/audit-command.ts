/** `parley audit`: checks that the receipts of an audit file are unchanged. */
import { type Verdict, verifyAuditFile } from '../audit/index.ts'
import { EXIT, type ExitCode, failed, usageError } from './failure.ts'
import { type Colours, coloursFor } from './terminal/colours.ts'
import type { CommandContext } from './terminal/io.ts'

export interface AuditOptions {
  readonly files: readonly string[]
  readonly hash?: string
  readonly json?: boolean
}

const HASH = /^sha256-[0-9a-f]{64}$/

export async function auditCommand(
  { files, hash, json }: AuditOptions,
  { io, program }: Pick<CommandContext, 'io' | 'program'>,
): Promise<ExitCode> {
  const [file, ...others] = files
  if (file === undefined) throw usageError('No file was given', `${program} audit audit.jsonl`)
  if (others.length > 0) throw usageError('One file at a time', `${program} audit ${file}`)
  if (hash !== undefined && !HASH.test(hash)) throw usageError('--hash must be "sha256-" and 64 hexadecimal digits')
  const verdict = await verifyAuditFile(file, { expected: hash }).catch((cause: NodeJS.ErrnoException) => {
    throw failed('audit_unreadable', `${file} cannot be read (${cause.code ?? cause.message})`, { cause })
  })
  io.stdout.write(
    json === true ? `${JSON.stringify(verdict, null, 2)}\n` : report(verdict, coloursFor(io.stdout, io.env)),
  )
  return verdict.unbroken ? EXIT.ok : EXIT.failed
}

function report(verdict: Verdict, { green, red, dim }: Colours): string {
  const { receipts, lost, torn, from, to, continues, hash, wrong } = verdict
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['from', from],
    ['to', to],
    ['lost', lost === 0 ? undefined : `${lost} that the gateway could not write`],
    ['torn', torn === 0 ? undefined : `${torn} that the gateway had written in part when it was stopped`],
    ['continues', continues],
    ['last hash', hash],
  ]
  const lines = facts.flatMap(([name, fact]) => (fact === undefined ? [] : [`  ${dim(name.padEnd(9))}  ${fact}`]))
  const outcome = wrong === undefined ? green('unbroken') : `${red('broken')}: line ${wrong.line} ${wrong.why}`
  return [
    `${receipts} ${receipts === 1 ? 'receipt' : 'receipts'}${wrong === undefined ? '' : ' before the break'}`,
    ...lines,
    outcome,
    '',
  ].join('\n')
}
