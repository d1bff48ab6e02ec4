/** What a server's type tells its client: tool names, their arguments and what they return. */

/** How a tool looks from outside. */
export interface ToolShape {
  input: unknown
  /** `undefined` for tools without an output schema. */
  output: unknown
}

/** What is known of a server whose type is not: any tool may be called with any arguments. */
export type AnyTools = Record<string, { input: Record<string, unknown>; output: unknown }>

/** The tools of a server value, from its phantom member; `AnyTools` when it has none. */
export type ToolsOf<S> = S extends { readonly '~tools'?: infer Tools }
  ? unknown extends Tools
    ? AnyTools
    : NonNullable<Tools>
  : AnyTools

export type ToolName<Tools> = keyof Tools & string

type InputFor<Shape> = Shape extends { input: infer Input } ? Input : Record<string, unknown>

/** Arguments may be left out where an empty object would do. */
export type CallArguments<Shape, Options> =
  Record<never, never> extends InputFor<Shape>
    ? [args?: InputFor<Shape>, options?: Options]
    : [args: InputFor<Shape>, options?: Options]

/** Structured output where the tool declares it, text where it does not. */
export type ValueOf<Shape> = Shape extends { output: infer Output }
  ? unknown extends Output
    ? unknown
    : Output extends undefined
      ? string
      : Output
  : unknown
