import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { typedArguments } from './typed-arguments.ts'

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    whole: { type: 'integer' },
    number: { type: 'number' },
    flag: { type: 'boolean' },
    list: { type: 'array', items: { type: 'integer' } },
    object: { type: 'object' },
    either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    maybe: { type: ['number', 'string'] },
    choice: { enum: ['a', 'b'] },
    referred: { $ref: '#/$defs/count' },
  },
  $defs: { count: { type: 'integer' } },
}

describe('arguments as key=value', () => {
  it('are read as the schema says', () => {
    const pairs = [
      'text=1',
      'whole=-3',
      'number=1e3',
      'flag=true',
      'list=1',
      'list=2',
      'object={"a":1}',
      'either=null',
      'maybe=x',
      'choice=a',
      'referred=5',
    ]
    expect(typedArguments(pairs, schema)).toEqual({
      text: '1',
      whole: -3,
      number: 1000,
      flag: true,
      list: [1, 2],
      object: { a: 1 },
      either: null,
      maybe: 'x',
      choice: 'a',
      referred: 5,
    })
    expect(typedArguments(['list=[4,5]'], schema)).toEqual({ list: [4, 5] })
  })

  it('are read as JSON where the schema says nothing, and else as text', () => {
    expect(typedArguments(['a=1', 'b=x', 'c=[1]', 'd=007'], undefined)).toEqual({ a: 1, b: 'x', c: [1], d: '007' })
  })

  it.each([
    ['whole=1.5', /"whole" must be of type integer/],
    ['flag=maybe', /"flag" must be of type boolean/],
    ['object=[1]', /"object" must be of type object/],
    ['nothing', /not of the form key=value/],
    ['=x', /not of the form key=value/],
  ])('are refused when they do not fit: %s', (pair, message) => {
    expect(() => typedArguments([pair], schema)).toThrow(message)
  })

  it('are refused when they come twice and are no list', () => {
    expect(() => typedArguments(['text=a', 'text=b'], schema)).toThrow('was given 2 times')
  })

  it('never reach the prototype of anything', () => {
    const made = typedArguments(['__proto__={"polluted":true}', 'constructor=1'], undefined)
    expect(Object.keys(made)).toEqual(['__proto__', 'constructor'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('keep every text, whatever is in it', () => {
    fc.assert(fc.property(fc.string(), (text) => typedArguments([`text=${text}`], schema)['text'] === text))
  })

  it('keep every number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) =>
        Object.is(typedArguments([`number=${Object.is(number, -0) ? '-0' : number}`], schema)['number'], number),
      ),
    )
  })
})
