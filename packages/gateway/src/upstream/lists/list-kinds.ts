/** The lists of a server that can change. */
export type ListKind = 'tools' | 'prompts' | 'resources'

export const LIST_KINDS: readonly ListKind[] = ['tools', 'prompts', 'resources']
