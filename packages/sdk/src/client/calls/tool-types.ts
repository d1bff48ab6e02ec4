/** Types that a client derives from a server's type: tool names, arguments and results. */

/** The types of one tool. */
export interface ToolShape {
  input: unknown
  /** `undefined` for tools without an output schema. */
  output: unknown
}

/** For a server without a known type: any tool with any arguments. */
export type AnyTools = Record<string, { input: Record<string, unknown>; output: unknown }>

/** The tools of a server, from its type-only member. `AnyTools` without one. */
export type ToolsOf<S> = S extends { readonly '~tools'?: infer Tools }
  ? unknown extends Tools
    ? AnyTools
    : NonNullable<Tools>
  : AnyTools

export type ToolName<Tools> = keyof Tools & string

type InputFor<Shape> = Shape extends { input: infer Input } ? Input : Record<string, unknown>

/** Arguments are optional if an empty object is valid. */
export type CallArguments<Shape, Options> =
  Record<never, never> extends InputFor<Shape>
    ? [args?: InputFor<Shape>, options?: Options]
    : [args: InputFor<Shape>, options?: Options]

/** Structured output if the tool declares it, else text. */
export type ValueOf<Shape> = Shape extends { output: infer Output }
  ? unknown extends Output
    ? unknown
    : Output extends undefined
      ? string
      : Output
  : unknown
