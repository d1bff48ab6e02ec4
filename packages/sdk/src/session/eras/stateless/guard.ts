/**
 * May this request of the stateless era be made, with what the server offers now and what the caller declares with it?
 */
import { ParleyError } from '../../../errors/index.ts'
import { extensionMethods, mutualExtensions } from '../../../protocol/index.ts'
import type { Caller, Introduction } from '../../endpoint.ts'
import { breach, type Declarations } from '../../guard.ts'
import type { Route } from '../../routes.ts'

/**
 * Methods of extensions are there when the server declares the extension, and of some only for callers that do so as
 * well.
 */
export function statelessBreach(route: Route, caller: Caller, server: Introduction): ParleyError | undefined {
  const declared: Declarations = { client: caller.capabilities, server: server.capabilities }
  if (extensionMethods.has(route.method)) return extensionBreach(route.method, declared)
  return breach(caller.version, route.method, route.info, 'client', declared)
}

export function extensionBreach(method: string, { client, server }: Declarations): ParleyError | undefined {
  const extension = extensionMethods.get(method)
  if (extension === undefined) return undefined
  if (!declaresExtension(server ?? {}, extension)) {
    return new ParleyError('method_not_found', {
      message: `${method} belongs to the extension ${extension}, which this server does not offer`,
    })
  }
  return !mutualExtensions.has(extension) || declaresExtension(client ?? {}, extension)
    ? undefined
    : extensionMissing(extension)
}

/** Names of extensions have dots, so no path leads to them. */
export function declaresExtension(capabilities: Record<string, unknown>, extension: string): boolean {
  const extensions = capabilities['extensions']
  if (typeof extensions !== 'object' || extensions === null || !Object.hasOwn(extensions, extension)) return false
  return typeof (extensions as Record<string, unknown>)[extension] === 'object'
}

export function extensionMissing(extension: string): ParleyError {
  return new ParleyError('missing_client_capability', {
    message: `This needs a client that declares the extension ${extension}`,
    data: { requiredCapabilities: { extensions: { [extension]: {} } } },
  })
}
