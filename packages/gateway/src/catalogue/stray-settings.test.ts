import { describe, expect, it } from 'vitest'
import { namesTools, straySettings } from './stray-settings.ts'

const none = { allow: undefined, deny: [], rename: {} }
const TOOLS = ['add_note', 'remove_note', 'search']

describe('G: settings that fit no tool', () => {
  it.each([
    ['deny', { ...none, deny: ['remove_nte', 'add_note'] }, 'remove_nte', 'remove_note'],
    ['allow', { ...none, allow: ['*', 'serach'] }, 'serach', 'search'],
    ['rename', { ...none, rename: { ad_note: 'add', search: 'find' } }, 'ad_note', 'add_note'],
    ['deny', { ...none, deny: ['delete_*'] }, 'delete_*', undefined],
    // New names have no patterns.
    ['rename', { ...none, rename: { 's*': 'find' } }, 's*', undefined],
  ])('are found under %s, with the tool that was meant', (key, settings, entry, meant) => {
    expect(straySettings(settings, TOOLS)).toEqual([{ key, entry, meant }])
  })

  it.each([[none], [{ ...none, allow: ['*_note'], deny: ['remove*', 'search'], rename: { add_note: 'add' } }]])(
    'are none in %j',
    (settings) => {
      expect(straySettings(settings, TOOLS)).toEqual([])
    },
  )

  it('are all there are where the server has no tools', () => {
    expect(straySettings({ allow: ['a*'], deny: ['b'], rename: { c: 'd' } }, []).map(({ entry }) => entry)).toEqual([
      'a*',
      'b',
      'c',
    ])
  })

  it.each([
    [none, false],
    [{ ...none, allow: [] }, false],
    [{ ...none, deny: ['a'] }, true],
    [{ ...none, rename: { a: 'b' } }, true],
  ])('%j name tools: %s', (settings, expected) => {
    expect(namesTools(settings)).toBe(expected)
  })
})
