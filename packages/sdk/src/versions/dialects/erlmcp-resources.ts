/** Resources: their contents have a name, and the time of their last change is a number (X4, D). */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { without } from '../steps/without.ts'

/** The last segment of a path, else the whole URI. */
export function nameOf(uri: string): string {
  const [, path] = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*|(?!\/\/))(\/[^?#]*)/i.exec(uri) ?? []
  return path?.slice(path.lastIndexOf('/') + 1) || uri
}

export function contentsToErlmcp(contents: Body): Body {
  const { uri, name } = contents
  return name === undefined && typeof uri === 'string' ? { ...contents, name: nameOf(uri) } : contents
}

/** A name its server thought of itself survives as any unknown field does. */
export function contentsFromErlmcp(contents: Body): Body {
  const { uri, name } = contents
  return typeof uri === 'string' && name === nameOf(uri) ? without(contents, 'name') : contents
}

/** `annotations.lastModified` → milliseconds; what they cannot say exactly stays beside them. */
export function resourceToErlmcp(resource: Body): Body {
  const { annotations } = resource
  if (!isObject(annotations) || typeof annotations['lastModified'] !== 'string') return resource
  const time = new Date(annotations['lastModified'])
  if (Number.isNaN(time.getTime())) return resource
  const timed = { ...resource, lastModified: time.getTime() }
  if (time.toISOString() !== annotations['lastModified']) return timed
  const others = without(annotations, 'lastModified')
  return Object.keys(others).length === 0 ? without(timed, 'annotations') : { ...timed, annotations: others }
}

export function resourceFromErlmcp(resource: Body): Body {
  const { lastModified, annotations } = resource
  if (typeof lastModified !== 'number' || Number.isNaN(new Date(lastModified).getTime())) return resource
  const rest = without(resource, 'lastModified')
  if (annotations !== undefined && (!isObject(annotations) || annotations['lastModified'] !== undefined)) return rest
  return { ...rest, annotations: { ...annotations, lastModified: new Date(lastModified).toISOString() } }
}
