/**
 * How far the causes of an error are looked into: runtimes and hooks make them, and nothing keeps them from being a
 * circle.
 */
export const MAX_CAUSES = 5
