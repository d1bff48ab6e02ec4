import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytes, oneLine, printable } from '../terminal/text.ts'
import { didYouMean, similarNames } from './similar-names.ts'

describe('names that do not exist', () => {
  it('are near to those with a typing error, and to longer ones that contain them', () => {
    const names = ['list_notes', 'add_note', 'find_notes', 'quit']
    expect(similarNames('lst_notes', names)[0]).toBe('list_notes')
    expect(similarNames('note', names)).toContain('add_note')
    expect(similarNames('zzzzzz', names)).toEqual([])
    expect(didYouMean('ad_note', names)).toMatch(/^; did you mean "add_note"/)
    expect(didYouMean('zzzzzz', names)).toBe('')
  })

  it('are near to those with two letters swapped, as typing errors are counted everywhere', () => {
    expect(similarNames('ab', ['cd', 'ba'])).toEqual(['ba', 'cd'])
  })
})

describe('text of others', () => {
  it('cannot steer a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const steering = [...printable(text)]
          .map((each) => each.codePointAt(0) as number)
          .filter((code) => code !== 9 && code !== 10 && (code < 32 || (code > 126 && code < 160)))
        expect(steering).toEqual([])
      }),
    )
    expect(printable('a\u202eb\r\nc\u2028d')).toBe('a\ufffdb\nc\ufffdd')
  })

  it('is one line where there is room for one', () => {
    expect(oneLine('\n  first \nsecond')).toBe('first')
    expect(oneLine('x'.repeat(200), 10)).toBe('xxxxxxxxx…')
    expect(oneLine(undefined)).toBe('')
  })

  it('has a size people can read', () => {
    expect([bytes(0), bytes(1023), bytes(1536), bytes(5 * 1024 ** 3)]).toEqual(['0 B', '1023 B', '1.5 KiB', '5.0 GiB'])
  })
})
