/** A place in the configuration that is being read: its path, and where problems and variables come from. */
import type { ScalarNode } from '../documents/document.ts'
import { type PathStep, ProblemList } from './problem-list.ts'
import { type Environment, type Expansion, expand } from './variables.ts'

interface ReadContext {
  readonly problems: ProblemList
  readonly env: Environment
  /** A server that is switched off may lack its variables. */
  readonly mayLackVariables?: boolean
}

// Variables of editors, which a gateway has no equivalent of.
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

  /** The same place, for a look ahead: what is wrong is reported when it is read in earnest. */
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

  /** Absent: it could not be filled in, and that has been reported. */
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
      this.problem(
        at,
        `The gateway runs unattended and cannot ask for an \${input:…}.`,
        `Use an environment variable: \${NAME}.`,
      )
    else
      this.problem(
        at,
        'A "${" that is no variable.',
        `Write \${NAME} or \${NAME:-default}; write $\${ where the text is meant to contain "\${".`,
      )
  }

  #reportMissing(at: number, name: string): void {
    const hint = EDITOR_VARIABLES.has(name)
      ? 'Only editors know this variable: write the path itself, or set an environment variable of this name.'
      : `Set ${name} where the gateway is started, or give it a default: \${${name}:-value}.`
    this.problem(at, `The environment variable ${name} is not set.`, hint)
  }
}
