/**
 * The facts about a method in one version: its sender, and the plans that translate its parts. All sessions share them.
 */
import type { MethodInfo } from '../protocol/index.ts'
import {
  isKnownMethod,
  methodIn,
  newestVersion,
  type Plan,
  type Profile,
  type ProtocolVersion,
  plan,
} from '../versions/index.ts'

export interface Route {
  readonly method: string
  /** Absent for methods the version does not know. */
  readonly info: MethodInfo | undefined
  readonly paramsUp: Plan | undefined
  readonly paramsDown: Plan | undefined
  readonly resultUp: Plan | undefined
  readonly resultDown: Plan | undefined
}

export type Routes = (method: string) => Route

const tables = new Map<string, Routes>()

export function routesFor(version: ProtocolVersion, profile: Profile): Routes {
  const key = `${version} ${profile}`
  let routes = tables.get(key)
  if (routes === undefined) {
    routes = makeRoutes(version, profile)
    tables.set(key, routes)
  }
  return routes
}

function makeRoutes(version: ProtocolVersion, profile: Profile): Routes {
  const known = new Map<string, Route>()
  const options = { profile, scope: 'body' } as const
  return (method) => {
    const found = known.get(method)
    if (found !== undefined) return found
    const info = methodIn(version, method)
    const route: Route = {
      method,
      info,
      paramsUp: plan(version, newestVersion, method, 'params', options),
      paramsDown: plan(newestVersion, version, method, 'params', options),
      resultUp: plan(version, newestVersion, method, 'result', options),
      resultDown: plan(newestVersion, version, method, 'result', options),
    }
    if (isKnownMethod(method)) known.set(method, route)
    return route
  }
}
