/**
 * The variables of a URI template as types: `VariablesOf<'users://{id}/posts{?page}'>` is `{ id: string; page?: string
 * }`.
 */
import type { UriVariables } from './match.ts'

/** Written so that an absent value leaves no trace. */
type Omissible = '#' | '.' | '/' | ';' | '?' | '&'

type VariableName<Spec extends string> = Spec extends `${infer Name}*`
  ? Name
  : Spec extends `${infer Name}:${string}`
    ? Name
    : Spec

type VariableValue<Spec extends string> = Spec extends `${string}*` ? string[] : string

type ItemsOfList<List extends string> = List extends `${infer Head},${infer Tail}` ? Head | ItemsOfList<Tail> : List

/** Of several variables in one expression all but the first may be missing. */
type RestOfList<List extends string> = List extends `${string},${infer Tail}` ? ItemsOfList<Tail> : never

type FirstOfList<List extends string> = List extends `${infer Head},${string}` ? Head : List

type Required_<Body extends string> = Body extends `${Omissible}${string}`
  ? never
  : Body extends `+${infer List}`
    ? FirstOfList<List>
    : FirstOfList<Body>

type Optional_<Body extends string> = Body extends `${Omissible}${infer List}`
  ? ItemsOfList<List>
  : Body extends `+${infer List}`
    ? RestOfList<List>
    : RestOfList<Body>

type ExpressionsIn<Template extends string> = Template extends `${string}{${infer Body}}${infer Tail}`
  ? Body | ExpressionsIn<Tail>
  : never

export type VariablesOf<Template extends string> = string extends Template
  ? UriVariables
  : { [Spec in Required_<ExpressionsIn<Template>> as VariableName<Spec>]: VariableValue<Spec> } & {
      [Spec in Optional_<ExpressionsIn<Template>> as VariableName<Spec>]?: VariableValue<Spec>
    }
