/**
 * Lets a tool go on only when its client has noticed how far it is: many a client loses progress that comes in one
 * piece with what follows it.
 */
export function makePace() {
  let go = () => {}
  return {
    /** Does it, and resolves with the next call of `next`. */
    async step(report) {
      const noticed = new Promise((resolve) => {
        go = resolve
      })
      await report()
      await noticed
    },
    next: () => go(),
  }
}
