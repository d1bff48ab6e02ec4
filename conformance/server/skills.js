/** Two skills: one written as a file, with further files in a folder; one described by its options. */
import { skill } from 'parley-mcp/server'

const RELEASE_NOTES = `---
name: release-notes
description: Writes the notes of a release from what was changed. Use when a version is about to be published.
license: Apache-2.0
metadata:
  audience: maintainers
---

# Release notes

Group the changes by what they mean to users, in the order of [the sections](references/sections.md), and begin each with a verb.
`

export const skills = [
  skill(RELEASE_NOTES, {
    files: {
      'references/sections.md': '# Sections\n\nAdded, changed, fixed, removed.\n',
      'assets/template.txt': 'Version VERSION\n\n',
    },
  }),
  skill(
    'refunds',
    { description: 'Decides about refunds. Use when a customer wants their money back.', prefix: 'acme/billing' },
    '# Refunds\n\nWithin thirty days, without questions.\n',
  ),
]
