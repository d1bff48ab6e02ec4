/** Options that several commands share, and how their values are read. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { isVersion, type ProtocolVersion, versions } from 'parley-mcp'
import type { Duration } from 'parley-mcp/client'
import type { SelectedServer, TargetOptions } from './selected-server.ts'

export interface SharedOptions extends TargetOptions {
  timeout?: Duration
  version?: ProtocolVersion
  verbose?: boolean
  json?: boolean
}

const TRANSPORTS = ['streamable-http', 'sse', 'websocket', 'tcp']

/** `program`: how the program is called here, for commands to copy. */
export function withTarget(command: Command, program: string): Command {
  return (
    command
      .option('--config <file>', 'the configuration whose servers are meant')
      .option('--server <name>', 'one server of the configuration')
      .option('--header <line>', "sent with every request, as 'NAME: VALUE'; may be repeated", collect)
      .addOption(
        new Option('--transport <name>', 'how to talk to an address; found out unless told').choices(TRANSPORTS),
      )
      .option('--timeout <time>', 'how long the server may take for each step, such as 500ms, 30s, 2m', duration)
      // Options of the program itself are what is unknown most often.
      .showHelpAfterError(
        `hint: --help shows what there is; a program and its options follow "--": ${program} ${command.name()} -- npx -y some-server`,
      )
  )
}

export function withVersion(command: Command): Command {
  return command.option('--version <version>', `speak this protocol version only: ${versions.join(', ')}`, version)
}

export function withOutput(command: Command): Command {
  return command
    .option('--verbose', 'show what a started program writes to standard error')
    .option('--json', 'one JSON document on standard output')
}

export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** A number alone could be seconds or milliseconds: the unit is asked for. */
export function duration(text: string): Duration {
  if (/^\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h)$/.test(text)) return text as Duration
  throw new InvalidArgumentError('Write a number with its unit: 500ms, 30s, 2m.')
}

export function port(text: string): number {
  const number = Number(text)
  if (/^\d{1,5}$/.test(text) && number <= 65_535) return number
  throw new InvalidArgumentError('A port is a number from 0 to 65535.')
}

export function positive(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Write a whole number.')
}

function version(text: string): ProtocolVersion {
  if (isVersion(text)) return text
  throw new InvalidArgumentError(`There are ${versions.join(', ')}.`)
}

/** The selected with what the options of the command say in addition. */
export function withOptions(selected: SelectedServer, { timeout, version: only }: SharedOptions): SelectedServer {
  const times = timeout === undefined ? {} : { timeout, initialiseTimeout: timeout }
  return {
    ...selected,
    options: { ...selected.options, ...times, ...(only === undefined ? {} : { versions: [only] }) },
  }
}
