/** One after the other: whoever comes while somebody has the turn waits for the end of it. */
export class Turns {
  #last: Promise<void> | undefined

  /** Resolves with the way to end the turn. */
  async take(): Promise<() => void> {
    const before = this.#last
    let end: () => void = () => {}
    const mine = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#last = mine
    await before
    return () => {
      if (this.#last === mine) this.#last = undefined
      end()
    }
  }
}
