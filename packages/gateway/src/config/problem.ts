/** What is wrong with a configuration, where, and how to mend it. */

export interface ConfigProblem {
  readonly file: string
  /** From 1; absent where the file itself is the problem. */
  readonly line: number | undefined
  readonly column: number | undefined
  /** Such as `mcpServers.files.args[1]`; empty for the whole file. */
  readonly path: string
  readonly message: string
  readonly hint: string
}

/** Everything that is wrong with a configuration, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** At most 50. */
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[], total = problems.length) {
    super(summary(problems, total))
    this.problems = problems
  }
}

/** One problem in three lines: where, what, and the way out. */
export function describeProblem({ file, line, column, path, message, hint }: ConfigProblem): string {
  const position = line === undefined ? file : `${file}:${line}:${column}`
  return `${position}${path === '' ? '' : ` ${path}`}\n  ${message}\n  ${hint}`
}

function summary(problems: readonly ConfigProblem[], total: number): string {
  const rest = total - problems.length
  const head = `The configuration cannot be used: ${total} ${total === 1 ? 'problem' : 'problems'}.`
  return [head, ...problems.map(describeProblem), ...(rest > 0 ? [`And ${rest} more.`] : [])].join('\n\n')
}
