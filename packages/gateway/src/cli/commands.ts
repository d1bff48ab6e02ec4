/** The subcommands of `parley`: their arguments, options and help texts. */
import { Argument, Command } from 'commander'
import { collect, port, positive, withOutput, withTarget, withVersion } from './arguments/options.ts'
import { soleAddress } from './arguments/selected-server.ts'
import { usageError } from './failure.ts'
import type { CommandContext } from './terminal/io.ts'
import { columnsOf } from './terminal/layout.ts'

export interface CommandLine {
  readonly context: CommandContext
  /** The words after `--`. */
  readonly command: readonly string[]
  readonly setExit: (code: number) => void
}

const EXIT_CODES = '\nExit code: 0 if the command succeeded, 1 if it failed,\n2 if the command line is wrong.'

export function createProgram(commandLine: CommandLine, json: boolean): Command {
  const { io, version, program: called } = commandLine.context
  const program = new Command(called)
    .description('Any MCP client, any MCP server, any version')
    .version(version, '-V, --version', 'print the version of this program')
    .helpOption('-h, --help', 'print this help')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // With --json, the caller prints the error as JSON.
      writeErr: (text) => (json ? undefined : io.stderr.write(text)),
      getOutHelpWidth: () => columnsOf(io.stdout),
      getErrHelpWidth: () => columnsOf(io.stderr),
    })
    .showHelpAfterError('hint: --help shows the commands and options')
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
  gateway(program, commandLine)
  bridge(program, commandLine)
  inspect(program, commandLine)
  call(program, commandLine)
  doctor(program, commandLine)
  audit(program, commandLine)
  return program
}

function gateway(program: Command, { context, command }: CommandLine): void {
  program
    .command('gateway')
    .description('serve the configured servers to clients of every version and transport')
    .usage('[options]')
    .addArgument(new Argument('[words...]'))
    .option('--config <file>', 'the configuration file (default: parley.json in this folder)')
    .option('--port <number>', 'the port to listen on (default: the configuration, else 4000)', port)
    .option('--host <name>', 'the address to listen on (default: the configuration, else 127.0.0.1)')
    .addHelpText(
      'after',
      `
Examples:
  $ ${context.program} gateway
  $ ${context.program} gateway --config servers.yaml --port 8080
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
      await (await import('./serve/gateway.ts')).gatewayCommand(given, context.program)
    })
}

function bridge(program: Command, { context, command }: CommandLine): void {
  withVersion(withTarget(program.command('bridge'), context.program))
    .description('connect standard input and output to any server')
    .usage('--config F --server NAME | URL | -- COMMAND ARGS')
    .addArgument(new Argument('[url...]', 'the address of the server'))
    .addHelpText(
      'after',
      `
Examples:
  $ ${context.program} bridge https://mcp.example.com/mcp
  $ ${context.program} bridge --version 2025-06-18 https://mcp.example.com/mcp
  $ ${context.program} bridge --config parley.json --server files
  $ ${context.program} bridge -- npx -y some-server
${EXIT_CODES}`,
    )
    .action(async (words, given) => {
      const url = soleAddress(words, `${context.program} bridge`)
      await (await import('./serve/bridge-command.ts')).bridgeCommand({ ...given, url, command }, context)
    })
}

function inspect(program: Command, { context, command, setExit }: CommandLine): void {
  withOutput(withVersion(withTarget(program.command('inspect'), context.program)))
    .description('show the versions and offers of a server, and what clients of other versions lose')
    .usage('URL | -- COMMAND ARGS | --config F [--server NAME]')
    .addArgument(new Argument('[url...]', 'the address of the server'))
    .option('--fast', 'do not test which other versions the server speaks')
    .option('--all', 'show every tool, resource and prompt, and every loss')
    .option('--first <number>', 'the number of tools, resources and prompts to show', positive, 20)
    .addHelpText(
      'after',
      `
Examples:
  $ ${context.program} inspect https://example.com/mcp --header 'Authorization: Bearer …'
  $ ${context.program} inspect --version 2025-06-18 -- node server.js
  $ ${context.program} inspect --config parley.json --server files --json
${EXIT_CODES}`,
    )
    .action(async (words, given) => {
      const url = soleAddress(words, `${context.program} inspect`)
      setExit(await (await import('./inspect/index.ts')).inspectCommand({ ...given, url, command }, context))
    })
}

function call(program: Command, { context, command, setExit }: CommandLine): void {
  withOutput(withVersion(withTarget(program.command('call'), context.program)))
    .description('call one tool')
    .usage(
      [
        '[options] URL TOOL [JSON]',
        '[options] TOOL [JSON] -- COMMAND ARGS',
        '[options] --config F --server NAME TOOL [JSON]',
      ].join(`\n       ${context.program} call `),
    )
    .addArgument(
      new Argument(
        '[words...]',
        'the address (without it, a command or a configuration), the tool, and its arguments as JSON or "-" for standard input',
      ),
    )
    .option('--arg <key=value>', "an argument, converted as the tool's schema says; can be repeated", collect)
    .option('--answer <key=value>', 'the answer to a field that the server asks for; can be repeated', collect)
    .option('--decline', 'tell the server that this client cannot be asked, even at a terminal')
    .option('--out <file>', 'the file for images, audio and other binary results')
    .option('--log <level>', "show the server's log messages of this level and above")
    .addHelpText(
      'after',
      `
Results go to standard output. Progress, log and questions go to standard
error. Ctrl-C cancels the call.

Examples:
  $ ${context.program} call http://127.0.0.1:3000/mcp forecast '{"city":"Oslo"}'
  $ ${context.program} call forecast --arg city=Oslo --arg days=3 -- node weather.js
  $ ${context.program} call --config parley.json --server weather forecast - < city.json
${EXIT_CODES}`,
    )
    .action(async (words, given) =>
      setExit(await (await import('./call/index.ts')).callCommand({ ...given, words, command }, context)),
    )
}

function doctor(program: Command, { context, command, setExit }: CommandLine): void {
  withOutput(withTarget(program.command('doctor'), context.program))
    .description('find what is wrong with a configuration, an address or a command, and how to fix it')
    .usage('[URL | -- COMMAND ARGS | --config F [--server NAME]]')
    .addArgument(
      new Argument(
        '[url...]',
        'the address of a server (default: parley.json in this folder, else the servers of the MCP clients on this machine)',
      ),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ ${context.program} doctor --config parley.json
  $ ${context.program} doctor https://mcp.example.com/mcp
  $ ${context.program} doctor -- npx -y some-server
${EXIT_CODES}`,
    )
    .action(async (words, given) => {
      const url = soleAddress(words, `${context.program} doctor`)
      setExit(await (await import('./doctor/index.ts')).doctorCommand({ ...given, url, command }, context))
    })
}

function audit(program: Command, { context, command, setExit }: CommandLine): void {
  program
    .command('audit')
    .description('check that the receipts in an audit file are unchanged')
    .usage('[options] FILE')
    .addArgument(new Argument('[files...]', 'the file of gateway.audit in the configuration'))
    .option('--hash <hash>', 'a hash that you stored elsewhere; it must be in the file')
    .option('--json', 'one JSON document on standard output')
    .addHelpText(
      'after',
      `
Examples:
  $ ${context.program} audit audit.jsonl
  $ ${context.program} audit audit.jsonl --hash sha256-0123… --json
${EXIT_CODES}`,
    )
    .action(async (files, given) => {
      if (command.length > 0)
        throw usageError('audit takes a file, not a command', `${context.program} audit audit.jsonl`)
      setExit(await (await import('./audit-command.ts')).auditCommand({ ...given, files }, context))
    })
}
