/** The subcommands of `parley`: what each takes, and what it says of itself. */
import { Argument, Command } from 'commander'
import { usageError } from './failure.ts'
import { columnsOf } from './layout.ts'
import { collect, port, positive, withOutput, withTarget, withVersion } from './options.ts'
import type { ProgramOptions } from './program.ts'
import { soleAddress } from './target.ts'

export interface Line {
  readonly options: ProgramOptions
  /** What follows `--`. */
  readonly command: readonly string[]
  readonly setExit: (code: number) => void
}

const EXIT_CODES =
  '\nExit code: 0 when it went well, 1 when what was asked for failed,\n2 when the command line is wrong.'

export function createProgram(line: Line, json: boolean): Command {
  const { io, version, program: called } = line.options
  const program = new Command(called)
    .description('Any MCP client, any MCP server, any version')
    .version(version, '-V, --version', 'print the version of this program')
    .helpOption('-h, --help', 'print this')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // Told as JSON by the caller instead.
      writeErr: (text) => (json ? undefined : io.stderr.write(text)),
      getOutHelpWidth: () => columnsOf(io.stdout),
      getErrHelpWidth: () => columnsOf(io.stderr),
    })
    .showHelpAfterError('hint: --help shows what there is')
    .configureHelp({ subcommandTerm: (each) => each.name() })
    .addHelpText(
      'after',
      `
Examples:
  $ ${called} gateway --config parley.json
  $ ${called} inspect https://mcp.example.com/mcp
  $ ${called} call http://127.0.0.1:3000/mcp forecast '{"city":"Oslo"}'
  $ ${called} doctor -- npx -y some-server
${EXIT_CODES}`,
    )
  gateway(program, line)
  bridge(program, line)
  inspect(program, line)
  call(program, line)
  doctor(program, line)
  audit(program, line)
  return program
}

function gateway(program: Command, { options, command }: Line): void {
  program
    .command('gateway')
    .description('serve the configured servers to clients of every version and transport')
    .usage('[options]')
    .addArgument(new Argument('[words...]'))
    .option('--config <file>', 'the configuration; parley.json in this folder unless told')
    .option('--port <number>', 'where to listen; 4000 unless the configuration says otherwise', port)
    .option('--host <name>', 'the address to listen on; 127.0.0.1 unless the configuration says otherwise')
    .addHelpText(
      'after',
      `
Examples:
  $ ${options.program} gateway
  $ ${options.program} gateway --config servers.yaml --port 8080
${EXIT_CODES}`,
    )
    .action(async ([word], given) => {
      if (word !== undefined)
        throw usageError(`The gateway takes no argument ${JSON.stringify(word)}`, `did you mean --config ${word}?`)
      if (command.length > 0)
        throw usageError(
          'The gateway takes no command after "--"',
          'name the servers in a configuration: --config parley.json',
        )
      await (await import('./gateway-command.ts')).gatewayCommand(given, options.program)
    })
}

function bridge(program: Command, { options, command }: Line): void {
  withVersion(withTarget(program.command('bridge'), options.program))
    .description('speak standard input and output here, and to any server there')
    .usage('--config F --server NAME | URL | -- COMMAND ARGS')
    .addArgument(new Argument('[url...]', 'the address of the server'))
    .addHelpText(
      'after',
      `
Examples:
  $ ${options.program} bridge https://mcp.example.com/mcp
  $ ${options.program} bridge --version 2025-06-18 https://mcp.example.com/mcp
  $ ${options.program} bridge --config parley.json --server files
  $ ${options.program} bridge -- npx -y some-server
${EXIT_CODES}`,
    )
    .action(async (words, given) => {
      const url = soleAddress(words, `${options.program} bridge`)
      await (await import('./bridge-command.ts')).bridgeCommand({ ...given, url, command }, options)
    })
}

function inspect(program: Command, { options, command, setExit }: Line): void {
  withOutput(withVersion(withTarget(program.command('inspect'), options.program)))
    .description('show who a server is, what it speaks and offers, and what clients of other versions lose')
    .usage('URL | -- COMMAND ARGS | --config F [--server NAME]')
    .addArgument(new Argument('[url...]', 'the address of the server'))
    .option('--fast', 'do not find out which other versions the server speaks')
    .option('--all', 'show every tool, resource and prompt, and every loss')
    .option('--first <number>', 'how many of each to show', positive, 20)
    .addHelpText(
      'after',
      `
Examples:
  $ ${options.program} inspect https://example.com/mcp --header 'Authorization: Bearer …'
  $ ${options.program} inspect --version 2025-06-18 -- node server.js
  $ ${options.program} inspect --config parley.json --server files --json
${EXIT_CODES}`,
    )
    .action(async (words, given) => {
      const url = soleAddress(words, `${options.program} inspect`)
      setExit(await (await import('./inspect/index.ts')).inspectCommand({ ...given, url, command }, options))
    })
}

function call(program: Command, { options, command, setExit }: Line): void {
  withOutput(withVersion(withTarget(program.command('call'), options.program)))
    .description('call one tool')
    .usage(
      [
        '[options] URL TOOL [JSON]',
        '[options] TOOL [JSON] -- COMMAND ARGS',
        '[options] --config F --server NAME TOOL [JSON]',
      ].join(`\n       ${options.program} call `),
    )
    .addArgument(
      new Argument(
        '[words...]',
        'the address unless there is a command or a configuration, the tool, its arguments as JSON or "-" for standard input',
      ),
    )
    .option('--arg <key=value>', "an argument, read as the tool's schema says; may be repeated", collect)
    .option('--answer <key=value>', 'the answer to a field the server asks for; may be repeated', collect)
    .option('--decline', 'be a client that can be asked nothing, also at a terminal')
    .option('--out <file>', 'write images, audio and other binary results to this file')
    .option('--log <level>', "show the server's log from this level on")
    .addHelpText(
      'after',
      `
Results are printed on standard output; progress, log and questions on standard
error. Ctrl-C cancels the call.

Examples:
  $ ${options.program} call http://127.0.0.1:3000/mcp forecast '{"city":"Oslo"}'
  $ ${options.program} call forecast --arg city=Oslo --arg days=3 -- node weather.js
  $ ${options.program} call --config parley.json --server weather forecast - < city.json
${EXIT_CODES}`,
    )
    .action(async (words, given) =>
      setExit(await (await import('./call/index.ts')).callCommand({ ...given, words, command }, options)),
    )
}

function doctor(program: Command, { options, command, setExit }: Line): void {
  withOutput(withTarget(program.command('doctor'), options.program))
    .description('find out what is wrong with a configuration, an address or a command, and how to mend it')
    .usage('[URL | -- COMMAND ARGS | --config F [--server NAME]]')
    .addArgument(
      new Argument(
        '[url...]',
        'the address of a server; without any, parley.json in this folder, or the servers of the MCP clients on this machine',
      ),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ ${options.program} doctor --config parley.json
  $ ${options.program} doctor https://mcp.example.com/mcp
  $ ${options.program} doctor -- npx -y some-server
${EXIT_CODES}`,
    )
    .action(async (words, given) => {
      const url = soleAddress(words, `${options.program} doctor`)
      setExit(await (await import('./doctor/index.ts')).doctorCommand({ ...given, url, command }, options))
    })
}

function audit(program: Command, { options, command, setExit }: Line): void {
  program
    .command('audit')
    .description('find out whether the receipts in an audit file are as the gateway wrote them')
    .usage('[options] FILE')
    .addArgument(new Argument('[files...]', 'the file that gateway.audit names in the configuration'))
    .option('--hash <hash>', 'a hash that was kept elsewhere, which must be in the file')
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      `
Examples:
  $ ${options.program} audit audit.jsonl
  $ ${options.program} audit audit.jsonl --hash sha256-0123… --json
${EXIT_CODES}`,
    )
    .action(async (files, given) => {
      if (command.length > 0)
        throw usageError('An audit is of a file, not of a command', `${options.program} audit audit.jsonl`)
      setExit(await (await import('./audit-command.ts')).auditCommand({ ...given, files }, options))
    })
}
