/** The part of the JSON Schema library that is used here. */
declare module '@cfworker/json-schema' {
  export interface OutputUnit {
    keyword: string
    keywordLocation: string
    instanceLocation: string
    error: string
  }
  export function dereference(schema: unknown): Record<string, unknown>
  export function validate(
    instance: unknown,
    schema: unknown,
    draft: '7' | '2019-09' | '2020-12',
    lookup: Record<string, unknown>,
    shortCircuit: boolean,
  ): { valid: boolean; errors: OutputUnit[] }
}
