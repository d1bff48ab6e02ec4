/** Functions whose code is loaded when they are first called, so that a server over standard input and output does not wait for HTTP to load. */

/** Only for functions that give a promise anyway. */
export function later<F extends (...given: never[]) => Promise<unknown>>(load: () => Promise<F>): F {
  return (async (...given: never[]) => (await load())(...given)) as F
}
