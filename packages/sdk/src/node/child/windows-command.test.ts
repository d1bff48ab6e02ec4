import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteForBatch, type WindowsLookup, windowsCommand } from './windows-command.ts'

const files = [
  'C:\\Program Files\\nodejs\\node.exe',
  'C:\\Program Files\\nodejs\\npx.cmd',
  'C:\\tools\\npx.exe',
  'C:\\work\\run.bat',
  'C:\\work\\bin\\tool.cmd',
  'C:\\work\\node.exe',
  'C:\\tools\\100%.cmd',
]

const lookup = (change: Partial<WindowsLookup> = {}): WindowsLookup => ({
  env: {
    Path: 'C:\\Program Files\\nodejs;"C:\\tools";;',
    PATHEXT: '.COM;.EXE;.BAT;.CMD',
    ComSpec: 'C:\\Windows\\system32\\cmd.exe',
  },
  cwd: 'C:\\work',
  exists: (path) => files.some((file) => file.toLowerCase() === path.toLowerCase()),
  ...change,
})

describe('T commands on Windows', () => {
  it('runs an executable as it is', () => {
    expect(windowsCommand('node', ['a b'], lookup())).toEqual({
      file: 'C:\\Program Files\\nodejs\\node.exe',
      args: ['a b'],
      verbatim: false,
    })
    expect(windowsCommand('NODE.EXE', [], lookup())?.file).toBe('C:\\Program Files\\nodejs\\NODE.EXE')
  })

  it('runs a batch script through the command interpreter', () => {
    expect(windowsCommand('npx', ['-y', 'some server'], lookup())).toEqual({
      file: 'C:\\Windows\\system32\\cmd.exe',
      args: ['/d', '/e:on', '/v:off', '/s', '/c', '""C:\\Program Files\\nodejs\\npx.cmd" "-y" "some server""'],
      verbatim: true,
    })
  })

  it('takes the folders of PATH in order, and the extensions within a folder', () => {
    const reversed = lookup({ env: { PATH: 'C:\\tools;C:\\Program Files\\nodejs' } })
    expect(windowsCommand('npx', [], reversed)).toMatchObject({ file: 'C:\\tools\\npx.exe', verbatim: false })
  })

  it('looks in the current folder only when told to', () => {
    expect(windowsCommand('run', [], lookup())).toBeUndefined()
    expect(
      windowsCommand('.\\run', [], lookup({ exists: (path) => path === 'C:\\work\\.\\run.bat' }))?.args.at(-1),
    ).toContain('"C:\\work\\.\\run.bat"')
    expect(windowsCommand('bin\\tool', [], lookup())?.args.at(-1)).toContain('"C:\\work\\bin\\tool.cmd"')
    expect(
      windowsCommand('bin/tool.cmd', [], lookup({ exists: (path) => path === 'C:\\work\\bin/tool.cmd' }))?.verbatim,
    ).toBe(true)
    expect(windowsCommand('C:\\work\\run.bat', [], lookup())?.args.at(-1)).toBe('""C:\\work\\run.bat""')
  })

  it('finds nothing where there is nothing', () => {
    expect(windowsCommand('no-such-program', [], lookup())).toBeUndefined()
    expect(windowsCommand('node', [], lookup({ env: {} }))).toBeUndefined()
  })

  it('does without COMSPEC and PATHEXT', () => {
    const found = windowsCommand('npx', [], lookup({ env: { PATH: 'C:\\Program Files\\nodejs\\' } }))
    expect(found).toMatchObject({ file: 'cmd.exe', verbatim: true })
  })

  it('hides percent signs in the path of the script', () => {
    expect(windowsCommand('100%', [], lookup())?.args.at(-1)).toBe('""C:\\tools\\100%%cd:~,%.cmd""')
  })
})

describe('T arguments of batch scripts', () => {
  it.each([
    ['', '""'],
    ['plain', '"plain"'],
    ['two words', '"two words"'],
    ['a&b|c<d>e^f', '"a&b|c<d>e^f"'],
    ['say "hi"', '"say ""hi"""'],
    ['C:\\dir\\', '"C:\\dir\\\\"'],
    ['a\\"b', '"a\\\\""b"'],
    ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
    ['" & calc.exe & "', '""" & calc.exe & """'],
  ])('%s', (argument, quoted) => {
    expect(quoteForBatch(argument)).toBe(quoted)
  })

  it.each(['a\nb', 'a\rb', 'a\0b'])('refuses what a command line cannot hold: %j', (argument) => {
    expect(() => quoteForBatch(argument)).toThrow('must not contain a line break or a null character')
  })

  /**
   * How programs read their command line: quotes group, a doubled quote inside them is a quote, backslashes count
   * before quotes.
   */
  function readBack(quoted: string): string {
    const inner = quoted.slice(1, -1).replaceAll('%%cd:~,%', '%')
    return inner
      .replace(/(\\*)""/g, (_, slashes: string) => `${'\\'.repeat(slashes.length / 2)}"`)
      .replace(/(\\+)$/, (slashes) => '\\'.repeat(slashes.length / 2))
  }

  it('arrive as they were, and never leave the quotes', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('"', '\\', '%', '&', '|', '^', '!', ' ', 'a', '<', '('),
      maxLength: 30,
    })
    fc.assert(
      fc.property(nasty, (argument) => {
        const quoted = quoteForBatch(argument)
        expect(readBack(quoted)).toBe(argument)
        // The shell toggles at every quote: whatever is special to it must stand where the count so far is odd.
        let inside = false
        for (const character of quoted) {
          if (character === '"') inside = !inside
          else if ('&|<>^('.includes(character)) expect(inside).toBe(true)
        }
        expect(inside).toBe(false)
      }),
      { numRuns: 500 },
    )
  })
})
