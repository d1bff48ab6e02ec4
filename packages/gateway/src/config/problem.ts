/** Problems of a configuration: what is wrong, where, and how to fix it. */

export interface ConfigProblem {
  readonly file: string
  /** Counted from 1. Undefined if the problem concerns the whole file. */
  readonly line: number | undefined
  readonly column: number | undefined
  /** Such as `mcpServers.files.args[1]`. Empty for the whole file. */
  readonly path: string
  readonly message: string
  readonly hint: string
}

/** All problems of a configuration. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** At most 50. */
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[], total = problems.length) {
    super(summary(problems, total))
    this.problems = problems
  }
}

/** One problem in three lines: where it is, what is wrong, and how to fix it. */
export function describeProblem({ file, line, column, path, message, hint }: ConfigProblem): string {
  const position = line === undefined ? file : `${file}:${line}:${column}`
  return `${position}${path === '' ? '' : ` ${path}`}\n  ${message}\n  ${hint}`
}

function summary(problems: readonly ConfigProblem[], total: number): string {
  const rest = total - problems.length
  const head = `The configuration cannot be used: ${total} ${total === 1 ? 'problem' : 'problems'}.`
  return [head, ...problems.map(describeProblem), ...(rest > 0 ? [`And ${rest} more.`] : [])].join('\n\n')
}
