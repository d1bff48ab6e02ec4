import { describe, expect, it } from 'vitest'
import { StderrTail } from './stderr-tail.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('T the last words of a child', () => {
  it('are what it wrote, without the last line break', () => {
    const words = new StderrTail()
    expect(words.text()).toBe('')
    for (const part of ['warn', 'ing\r\n', 'blå'].map(bytes)) words.push(part)
    words.push(bytes('\n'))
    expect(words.text()).toBe('warning\nblå')
    expect(words.text(1)).toBe('blå')
  })

  it('are at most 200 lines', () => {
    const words = new StderrTail()
    for (let line = 1; line <= 1500; line++) words.push(bytes(`line ${line}\n`))
    const lines = words.text().split('\n')
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([200, 'line 1301', 'line 1500'])
  })

  it('are at most 64 KiB, whether they came at once or in pieces', () => {
    const [one, many] = [new StderrTail(), new StderrTail()]
    one.push(bytes(`${'x'.repeat(200_000)}end`))
    for (let piece = 0; piece < 200; piece++) many.push(bytes('x'.repeat(1000)))
    many.push(bytes('end'))
    expect(one.text()).toBe(`${'x'.repeat(64 * 1024 - 3)}end`)
    expect(many.text()).toBe(one.text())
  })
})
