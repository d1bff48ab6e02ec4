import { describe, expect, it } from 'vitest'
import { landingPage } from './landing-page.ts'

const server = (name: string, ready: boolean) => ({
  name,
  state: ready ? 'running' : 'down',
  ready,
  ...(!ready && { detail: 'could not be <reached>' }),
})

describe('G the page for people', () => {
  const page = landingPage('http://localhost:4000', [
    server('files', true),
    server('search', false),
    server('notes', true),
  ])

  it('says how many servers are up', () => {
    expect(page).toContain('<span class="down">2 of 3 up</span>')
    expect(landingPage('http://localhost:4000', [server('files', true)])).toContain('<span class="up">1 of 1 up</span>')
  })

  it('scrolls its table alone, in which neither states nor addresses are broken', () => {
    const [, box = ''] = /<div class="wide">\s*<table>([\s\S]*)<\/table>\s*<\/div>/.exec(page) ?? []
    expect(box).toContain('http://localhost:4000/servers/files/mcp')
    expect(page).toMatch(/\.wide \{ overflow-x: auto \}/)
    expect(page).toMatch(/\.state, td code \{ white-space: nowrap \}/)
    expect(box.match(/<td class="state">/g)).toHaveLength(4)
  })

  it('says why a server is down, in words that are no markup', () => {
    expect(page).toContain('<small>could not be &lt;reached&gt;</small>')
  })

  it('shows how a client starts the bridge, as the gateway itself was started where that is known', () => {
    const args = (each: string) => each.replace(/\s+/g, '')
    expect(args(page)).toContain(
      '&quot;command&quot;:&quot;npx&quot;,&quot;args&quot;:[&quot;-y&quot;,&quot;parley-gateway&quot;,&quot;bridge&quot;,',
    )
    const own = landingPage('http://localhost:4000', [], ['node', '/srv/dist/cli.js'])
    expect(args(own)).toContain(
      '&quot;command&quot;:&quot;node&quot;,&quot;args&quot;:[&quot;/srv/dist/cli.js&quot;,&quot;bridge&quot;,',
    )
  })
})
