/** The variables of a URI template as types: `VariablesOf<'users://{id}/posts{?page}'>` is `{ id: string; page?: string }`. */
import type { UriVariables } from './uri-match.ts'

/** Written so that an absent value leaves no trace. */
type Omissible = '#' | '.' | '/' | ';' | '?' | '&'

type NameOf<Spec extends string> = Spec extends `${infer Name}*` ? Name : Spec extends `${infer Name}:${string}` ? Name : Spec

type ValueOf<Spec extends string> = Spec extends `${string}*` ? string[] : string

type Split<List extends string> = List extends `${infer Head},${infer Tail}` ? Head | Split<Tail> : List

/** Of several variables in one expression all but the first may be missing. */
type Rest<List extends string> = List extends `${string},${infer Tail}` ? Split<Tail> : never

type First<List extends string> = List extends `${infer Head},${string}` ? Head : List

type Required_<Body extends string> = Body extends `${Omissible}${string}` ? never : Body extends `+${infer List}` ? First<List> : First<Body>

type Optional_<Body extends string> = Body extends `${Omissible}${infer List}` ? Split<List> : Body extends `+${infer List}` ? Rest<List> : Rest<Body>

type Bodies<Template extends string> = Template extends `${string}{${infer Body}}${infer Tail}` ? Body | Bodies<Tail> : never

export type VariablesOf<Template extends string> = string extends Template
  ? UriVariables
  : { [Spec in Required_<Bodies<Template>> as NameOf<Spec>]: ValueOf<Spec> } & { [Spec in Optional_<Bodies<Template>> as NameOf<Spec>]?: ValueOf<Spec> }
