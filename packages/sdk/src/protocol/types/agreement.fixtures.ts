/**
 * Compares protocol types of Parley with those of another SDK, whose objects are open. Each pair is `[ours, theirs]`;
 * the names that fail remain.
 */

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: 1 }
type RequiredKeys<T> = { [K in KnownKeys<T>]-?: Record<never, never> extends Pick<T, K> ? never : K }[KnownKeys<T>]
type Fits<A, B> = [A] extends [B] ? true : false
type Same<A, B> = Fits<A, B> extends true ? Fits<B, A> : false

type Agrees<Ours, Theirs> =
  Same<KnownKeys<Ours>, KnownKeys<Theirs>> extends true
    ? Same<RequiredKeys<Ours>, RequiredKeys<Theirs>> extends true
      ? Same<Ours, Theirs>
      : false
    : false

/** Names whose keys, required keys or property types differ. */
export type Disagreeing<Pairs> = {
  [Name in keyof Pairs]: Pairs[Name] extends [infer Ours, infer Theirs]
    ? Agrees<Ours, Theirs> extends true
      ? never
      : Name
    : Name
}[keyof Pairs]

/** Names whose values in Parley the other SDK would not take. */
export type Misfitting<Pairs> = {
  [Name in keyof Pairs]: Pairs[Name] extends [infer Ours, infer Theirs]
    ? Fits<Ours, Theirs> extends true
      ? never
      : Name
    : Name
}[keyof Pairs]
