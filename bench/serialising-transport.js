/**
 * A pair of transports for the official SDKs: delivery within the process, but every message goes through JSON text as
 * on any real link.
 */

class SerialisingTransport {
  other
  waiting = []
  onmessage
  onclose
  onerror
  #tap

  constructor(tap) {
    this.#tap = tap
  }

  async start() {
    for (const text of this.waiting.splice(0)) this.onmessage?.(JSON.parse(text))
  }

  async send(message) {
    const text = JSON.stringify(message)
    this.#tap?.(text)
    if (this.other === undefined) throw new Error('Closed')
    if (this.other.onmessage === undefined) this.other.waiting.push(text)
    else this.other.onmessage(JSON.parse(text))
  }

  async close() {
    const { other } = this
    if (other === undefined) return
    this.other = undefined
    await other.close()
    this.onclose?.()
  }
}

export function serialisingPair(tap) {
  const pair = [new SerialisingTransport(tap), new SerialisingTransport(tap)]
  pair[0].other = pair[1]
  pair[1].other = pair[0]
  return pair
}
