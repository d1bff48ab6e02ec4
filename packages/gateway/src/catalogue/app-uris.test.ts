import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownAppUri, publicAppUri, withAppLinks } from './app-uris.ts'

const server = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
const uri = fc
  .oneof(fc.constantFrom('app/index.html', 'b+app/x', 'a/b?c=+#d', '{name}/page', '', '[::1]/x'), fc.string())
  .map((rest) => `ui://${rest}`)

describe('G the URI of an app page', () => {
  it('law: keeps its scheme and leads back to its server and its own spelling', () => {
    fc.assert(
      fc.property(server, uri, (name, own) => {
        const shown = publicAppUri(name, own)
        expect(shown.startsWith('ui://')).toBe(true)
        expect(ownAppUri(shown)).toEqual({ server: name, uri: own })
      }),
    )
  })

  it('law: pages of two servers, and two pages of one, never have the same', () => {
    fc.assert(
      fc.property(server, uri, server, uri, (one, own, other, others) => {
        expect(publicAppUri(one, own) === publicAppUri(other, others)).toBe(one === other && own === others)
      }),
    )
  })

  it('is still a URI to those that parse it', () => {
    expect(new URL(publicAppUri('my.server', 'ui://app/index.html?q#f')).href).toBe('ui://my.server+app/index.html?q#f')
  })

  it.each(['ui://app/index.html', 'ui://a/b+c', 'ui://%zz+x', 'ui://%61+x', 'file:///a+b'])(
    'is told from what has another form: %s',
    (other) => {
      expect(ownAppUri(other)).toBeUndefined()
    },
  )
})

describe('G metadata that names the page of a tool', () => {
  const named = {
    ui: { resourceUri: 'ui://x', visibility: ['app'] },
    'ui/resourceUri': 'ui://x',
    'openai/outputTemplate': 'ui://x',
    other: 'ui://x',
  }

  it('names it as it is shown, in each of its forms, and nothing else is touched', () => {
    expect(withAppLinks('a', { name: 't', _meta: named })).toEqual({
      name: 't',
      _meta: {
        ui: { resourceUri: 'ui://a+x', visibility: ['app'] },
        'ui/resourceUri': 'ui://a+x',
        'openai/outputTemplate': 'ui://a+x',
        other: 'ui://x',
      },
    })
  })

  it.each([
    {},
    { _meta: null },
    { _meta: { ui: 'ui://x' } },
    { _meta: { ui: { resourceUri: 7 } } },
    { _meta: { 'ui/resourceUri': 'https://x' } },
  ])('is the same object where it names none: %j', (item) => {
    expect(withAppLinks('a', item)).toBe(item)
  })
})
