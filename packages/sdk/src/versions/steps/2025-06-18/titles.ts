/** Display titles moved to the nearest field a strict older reader shows (B-07). */
import { isObject } from '../../../jsonrpc/index.ts'
import type { Edit } from '../../operation.ts'

/** Identity of a resource is its address, so its name may be the display text. */
export const titleAsName: Edit = (definition, context) => {
  if (definition['title'] === undefined) return definition
  const { title, ...rest } = definition
  context.lose('the title took the place of the name', { path: 'title' })
  return typeof title === 'string' && title !== '' ? { ...rest, name: title } : rest
}

export const titleBeforeDescription: Edit = (definition, context) => {
  if (definition['title'] === undefined) return definition
  const { title, ...rest } = definition
  context.lose('the title moved into the description', { path: 'title' })
  if (typeof title !== 'string' || title === '') return rest
  const description = rest['description']
  return {
    ...rest,
    description: typeof description === 'string' && description !== '' ? `${title}: ${description}` : title,
  }
}

export const titleIntoAnnotations: Edit = (tool, context) => {
  if (tool['title'] === undefined) return tool
  const { title, ...rest } = tool
  const annotations = isObject(rest['annotations']) ? rest['annotations'] : {}
  const taken = typeof annotations['title'] === 'string' && annotations['title'] !== ''
  context.lose(taken ? 'removed title' : 'the title moved into annotations', { path: 'title' })
  return taken || typeof title !== 'string' ? rest : { ...rest, annotations: { ...annotations, title } }
}
