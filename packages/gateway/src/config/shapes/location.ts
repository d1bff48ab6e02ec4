/** One location in a configuration: its path, and the problems and variables of the whole file. */
import type { ScalarNode } from '../documents/document.ts'
import { type PathStep, ProblemList } from './problem-list.ts'
import { type Environment, type Expansion, expand } from './variables.ts'

interface ReadContext {
  readonly problems: ProblemList
  readonly env: Environment
  /** Variables of a disabled server may be missing. */
  readonly mayLackVariables?: boolean
}

// Variables that only editors set.
const EDITOR_VARIABLES: ReadonlySet<string> = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'userHome',
  'pathSeparator',
  'file',
  'cwd',
  'CLAUDE_PLUGIN_ROOT',
])

export class ConfigLocation {
  readonly path: readonly PathStep[]
  readonly #context: ReadContext

  constructor(context: ReadContext, path: readonly PathStep[] = []) {
    this.#context = context
    this.path = path
  }

  child(step: PathStep): ConfigLocation {
    return new ConfigLocation(this.#context, [...this.path, step])
  }

  lackingVariables(): ConfigLocation {
    return new ConfigLocation({ ...this.#context, mayLackVariables: true }, this.path)
  }

  /** The same location without reports, for a first look. The full read reports the problems. */
  silent(): ConfigLocation {
    return new ConfigLocation({ ...this.#context, problems: new ProblemList('', '') }, this.path)
  }

  problem(at: number, message: string, hint: string): void {
    this.#context.problems.add(at, this.path, message, hint)
  }

  warning(at: number, message: string, hint: string): void {
    this.#context.problems.addWarning(at, this.path, message, hint)
  }

  lineOf(at: number): number {
    return this.#context.problems.lineOf(at)
  }

  /** Undefined if a variable is missing or malformed. The problem has been reported then. */
  expand(node: ScalarNode & { readonly value: string }): Expansion | undefined {
    const expansion = expand(node.value, this.#context.env)
    const { missing, malformed } = expansion
    const mayLack = this.#context.mayLackVariables === true
    for (const kind of malformed) if (!mayLack || kind !== 'question') this.#reportMalformed(node.at, kind)
    if (!mayLack) for (const name of new Set(missing)) this.#reportMissing(node.at, name)
    return missing.length + malformed.length > 0 ? undefined : expansion
  }

  #reportMalformed(at: number, kind: 'question' | 'other'): void {
    if (kind === 'question')
      this.problem(at, `The gateway cannot ask a user for an \${input:…}.`, `Use an environment variable: \${NAME}.`)
    else
      this.problem(
        at,
        'A "${" that does not begin a variable.',
        `Write \${NAME} or \${NAME:-default}. Write $\${ if the text should contain "\${".`,
      )
  }

  #reportMissing(at: number, name: string): void {
    const hint = EDITOR_VARIABLES.has(name)
      ? 'Only editors set this variable. Write the path itself, or set an environment variable of this name.'
      : `Set ${name} in the environment of the gateway, or give it a default: \${${name}:-value}.`
    this.problem(at, `The environment variable ${name} is not set.`, hint)
  }
}
