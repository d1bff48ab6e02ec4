/** Capabilities on both sides of 2026-07-28: tasks left for an extension, roots are no longer watched. */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { TASKS_EXTENSION } from '../../../protocol/index.ts'
import type { Loss } from '../../operation.ts'
import { without } from '../without.ts'

/** D-40, toward 2026-07-28. */
export function clientCapabilitiesUp(capabilities: Body): Body {
  return extensionsOfObjects(rootsUnwatched(without(capabilities, 'tasks')))
}

/** D-41, toward 2026-07-28. */
export function serverCapabilitiesUp(capabilities: Body): Body {
  return extensionsOfObjects(without(capabilities, 'tasks'))
}

/**
 * D-40 and D-41, toward the handshake era: an extension that replaced a capability of that era must not be taken for
 * it.
 */
export function capabilitiesDown(capabilities: Body): Body {
  const extensions = capabilities['extensions']
  if (!isObject(extensions) || !Object.hasOwn(extensions, TASKS_EXTENSION)) return capabilities
  const others = without(extensions, TASKS_EXTENSION)
  return Object.keys(others).length === 0
    ? without(capabilities, 'extensions')
    : { ...capabilities, extensions: others }
}

/**
 * Extensions that the functions above leave out on the way to 2026-07-28: what their settings are was said in a form
 * that version does not have.
 */
export function extensionLosses(capabilities: Body, rule: 'D-40' | 'D-41', method: string): Loss[] {
  const { extensions } = capabilities
  if (extensions === undefined) return []
  const names = isObject(extensions)
    ? Object.keys(extensions)
        .filter((name) => !isObject(extensions[name]))
        .map((name) => `extensions.${name}`)
    : ['extensions']
  const detail = 'not an object, as 2026-07-28 demands it: the other side does not hear of it'
  return names.map((path) => ({ rule, method, path: `capabilities.${path}`, severity: 'w', detail }))
}

function rootsUnwatched(capabilities: Body): Body {
  const roots = capabilities['roots']
  if (!isObject(roots) || !Object.hasOwn(roots, 'listChanged')) return capabilities
  return { ...capabilities, roots: without(roots, 'listChanged') }
}

/** Older versions do not say what `extensions` holds; the newer one demands an object of objects. */
function extensionsOfObjects(capabilities: Body): Body {
  const { extensions } = capabilities
  if (extensions === undefined || (isObject(extensions) && Object.values(extensions).every(isObject)))
    return capabilities
  if (!isObject(extensions)) return without(capabilities, 'extensions')
  return {
    ...capabilities,
    extensions: Object.fromEntries(Object.entries(extensions).filter(([, value]) => isObject(value))),
  }
}
