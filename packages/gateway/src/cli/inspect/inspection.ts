/** Everything there is to know of one server, as `--json` prints it. */
import { openPatiently, type Surroundings } from '../connecting.ts'
import type { Aim, Subject } from '../target.ts'
import { type Behind, behindGateway } from './conversation.ts'
import { lossesOf, type VersionLosses } from './losses.ts'
import { type Spoken, spokenBy } from './spoken.ts'
import { type Survey, survey } from './survey.ts'

export interface Inspection extends Survey {
  readonly target: Subject
  /** Null when nobody wanted to know. */
  readonly versions: readonly Spoken[] | null
  readonly losses: readonly VersionLosses[]
  /** Of a gateway: which conversation a client gets with each server behind the address. Null elsewhere. */
  readonly behind: readonly Behind[] | null
}

export async function inspection(
  aim: Aim,
  surroundings: Surroundings,
  { fast, signal }: { fast: boolean; signal: AbortSignal },
): Promise<Inspection> {
  const client = await openPatiently(aim, surroundings, { signal })
  const stop = () => void client.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const facts = await survey(client)
    await client.close()
    signal.throwIfAborted()
    const versions = fast ? null : await spokenBy(aim, facts.version, surroundings, signal)
    const behind = aim.subject.kind === 'url' ? await behindGateway(aim.subject.url, signal) : null
    return { target: aim.subject, ...facts, versions, losses: lossesOf(facts), behind }
  } finally {
    signal.removeEventListener('abort', stop)
    await client.close()
  }
}
