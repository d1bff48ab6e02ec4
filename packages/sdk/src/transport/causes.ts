/** How many causes of an error are inspected. Runtimes and hooks create them, and they may form a cycle. */
export const MAX_CAUSES = 5
