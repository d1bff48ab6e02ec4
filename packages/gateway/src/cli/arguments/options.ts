/** Options of several commands, and how to read their values. */
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

/** `program`: how to call this program here, for commands to copy. */
export function withTarget(command: Command, program: string): Command {
  return (
    command
      .option('--config <file>', 'the configuration file with the servers')
      .option('--server <name>', 'one server of the configuration')
      .option('--header <line>', "a header for every request, as 'NAME: VALUE'; can be repeated", collect)
      .addOption(
        new Option('--transport <name>', 'the transport of an address (default: found out by asking)').choices(
          TRANSPORTS,
        ),
      )
      .option('--timeout <time>', 'the longest time of each step, such as 500ms, 30s, 2m', duration)
      // Most unknown options belong to the program of the server.
      .showHelpAfterError(
        `hint: --help shows the options; write a program and its options after "--": ${program} ${command.name()} -- npx -y some-server`,
      )
  )
}

export function withVersion(command: Command): Command {
  return command.option('--version <version>', `speak this protocol version only: ${versions.join(', ')}`, version)
}

export function withOutput(command: Command): Command {
  return command
    .option('--verbose', "show the standard error of the server's program")
    .option('--json', 'one JSON document on standard output')
}

export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value]
}

/** Requires a unit, because a number alone could mean seconds or milliseconds. */
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
  throw new InvalidArgumentError(`The versions are ${versions.join(', ')}.`)
}

/** Applies the options of the command to the selected server. */
export function withOptions(selected: SelectedServer, { timeout, version: only }: SharedOptions): SelectedServer {
  const times = timeout === undefined ? {} : { timeout, initialiseTimeout: timeout }
  return {
    ...selected,
    options: { ...selected.options, ...times, ...(only === undefined ? {} : { versions: [only] }) },
  }
}
