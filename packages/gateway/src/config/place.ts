/** A place in the configuration that is being read: its path, and where findings and variables come from. */
import type { ScalarNode } from './document.ts'
import { type Environment, type Expansion, expand } from './expand.ts'
import { Findings, type Step } from './findings.ts'

interface Surroundings {
  readonly findings: Findings
  readonly env: Environment
  /** A server that is switched off may lack its variables. */
  readonly mayLackVariables?: boolean
}

// Variables of editors, which a gateway has no equivalent of.
const OF_EDITORS: ReadonlySet<string> = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'userHome',
  'pathSeparator',
  'file',
  'cwd',
  'CLAUDE_PLUGIN_ROOT',
])

export class Place {
  readonly path: readonly Step[]
  readonly #around: Surroundings

  constructor(around: Surroundings, path: readonly Step[] = []) {
    this.#around = around
    this.path = path
  }

  child(step: Step): Place {
    return new Place(this.#around, [...this.path, step])
  }

  lackingVariables(): Place {
    return new Place({ ...this.#around, mayLackVariables: true }, this.path)
  }

  /** The same place, for a look ahead: what is wrong is reported when it is read in earnest. */
  silent(): Place {
    return new Place({ ...this.#around, findings: new Findings('', '') }, this.path)
  }

  problem(at: number, message: string, hint: string): void {
    this.#around.findings.problem(at, this.path, message, hint)
  }

  warning(at: number, message: string, hint: string): void {
    this.#around.findings.warning(at, this.path, message, hint)
  }

  lineOf(at: number): number {
    return this.#around.findings.lineOf(at)
  }

  /** Absent: it could not be filled in, and that has been reported. */
  expand(node: ScalarNode & { readonly value: string }): Expansion | undefined {
    const expansion = expand(node.value, this.#around.env)
    const { missing, malformed } = expansion
    const mayLack = this.#around.mayLackVariables === true
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
    const hint = OF_EDITORS.has(name)
      ? 'Only editors know this variable: write the path itself, or set an environment variable of this name.'
      : `Set ${name} where the gateway is started, or give it a default: \${${name}:-value}.`
    this.problem(at, `The environment variable ${name} is not set.`, hint)
  }
}
