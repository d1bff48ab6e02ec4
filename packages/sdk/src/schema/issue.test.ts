import { describe, expect, it } from 'vitest'
import { describeIssues } from './index.ts'

describe('F1 issues in words', () => {
  it('names the place and the problem', () => {
    expect(
      describeIssues([
        { path: ['city'], message: 'expected string' },
        { path: ['tags', 0, 'name'], message: 'is required' },
        { path: [], message: 'must be an object' },
      ]),
    ).toBe('city: expected string; tags[0].name: is required; must be an object')
  })

  it('stays short whatever comes', () => {
    const issue = { path: Array.from({ length: 5000 }, () => 'key'), message: 'long\n'.repeat(10_000) }
    const text = describeIssues(Array.from({ length: 500 }, () => issue))
    expect(text.length).toBeLessThan(4000)
    expect(text).not.toContain('\n')
    expect(text).toMatch(/; and 490 more$/)
  })
})
