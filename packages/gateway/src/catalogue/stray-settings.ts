/**
 * Entries of a server's tool settings that fit none of its tools: mostly typing mistakes, by which a tool is shown that
 * should be hidden.
 */
import { nearest, type ToolSettings } from '../config/index.ts'
import { type Matcher, wildcard } from './wildcard.ts'

type Settings = Pick<ToolSettings, 'allow' | 'deny' | 'rename'>

export interface StraySetting {
  readonly key: keyof Settings
  /** As it is written there. */
  readonly entry: string
  /** The tool that was probably meant. */
  readonly meant: string | undefined
}

/** What is written under each key, and how it is read. */
const ENTRIES: Readonly<Record<keyof Settings, (settings: Settings) => readonly (readonly [string, Matcher])[]>> = {
  allow: ({ allow = [] }) => allow.map(pattern),
  deny: ({ deny }) => deny.map(pattern),
  rename: ({ rename }) => Object.keys(rename).map((from) => [from, (name) => name === from]),
}

/** `names`: of all tools the server has. */
export function straySettings(settings: Settings, names: readonly string[]): StraySetting[] {
  return (Object.keys(ENTRIES) as (keyof Settings)[]).flatMap((key) =>
    ENTRIES[key](settings)
      .filter(([, fits]) => !names.some(fits))
      .map(([entry]) => ({ key, entry, meant: nearest(entry, names) })),
  )
}

/** Whether they name any tool. */
export function namesTools(settings: Settings): boolean {
  return Object.values(ENTRIES).some((entriesOf) => entriesOf(settings).length > 0)
}

function pattern(entry: string): readonly [string, Matcher] {
  return [entry, wildcard(entry)]
}
