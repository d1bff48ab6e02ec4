/**
 * A package registry on this machine: the packages as they would be published, and what they depend on, without the
 * network.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, textOf } from './files.ts'
import { plainEnvironment, run } from './shell.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** What the quick starts install besides the packages and their dependencies. */
const ALSO = ['zod', '@types/node']

export class LocalRegistry {
  readonly url: string
  readonly folder: string
  /** Names of packages that were asked for and are not here. */
  readonly missing: string[] = []
  readonly #server: Server

  private constructor(server: Server, folder: string) {
    this.#server = server
    this.folder = folder
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  /** Packs everything first, so that a package is served as npm would publish it. */
  static async start(): Promise<LocalRegistry> {
    const folder = mkdtempSync(join(tmpdir(), 'parley-registry-'))
    const manifests = withDependencies([
      'packages/sdk',
      'packages/gateway',
      ...ALSO.map((name) => `node_modules/${name}`),
    ])
    const folders = [...manifests.keys()].map((path) => `./${path}`)
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, ...folders], root)
    const packed = new Map([...manifests.values()].map((manifest) => [manifest.name, manifest]))
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const registry = new LocalRegistry(server, folder)
    server.on('request', ({ url = '/' }, response) => {
      const name = decodeURIComponent(url.slice(1))
      const manifest = packed.get(name)
      const tarball = /^-\/([^/]+\.tgz)$/.exec(name)?.[1]
      if (tarball !== undefined) return response.end(readFileSync(join(folder, tarball)))
      if (manifest !== undefined) return response.end(JSON.stringify(registry.#packument(manifest)))
      if (!name.startsWith('-/')) registry.missing.push(name)
      response.statusCode = 404
      response.end('{}')
    })
    return registry
  }

  /** The environment of a shell on a machine of its own: this registry, an empty cache, no global packages. */
  environment(): NodeJS.ProcessEnv {
    const home = join(this.folder, 'home')
    mkdirSync(home, { recursive: true })
    const settings = {
      registry: this.url,
      cache: join(home, 'cache'),
      userconfig: join(home, '.npmrc'),
      audit: 'false',
      fund: 'false',
    }
    const asVariables = Object.entries({ ...settings, update_notifier: 'false' }).map(([name, value]) => [
      `npm_config_${name}`,
      value,
    ])
    // Programs of this repository must not be found: on another machine they are not there.
    const path = (process.env['PATH'] ?? '').split(':').filter((each) => !each.includes('node_modules'))
    return { ...plainEnvironment(), HOME: home, PATH: path.join(':'), ...Object.fromEntries(asVariables) }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
    rmSync(this.folder, { recursive: true, force: true })
  }

  #packument(manifest: Manifest): unknown {
    const { name, version } = manifest
    const file = fileOf(manifest)
    const integrity = createHash('sha512')
      .update(readFileSync(join(this.folder, file)))
      .digest('base64')
    const dist = { tarball: `${this.url}-/${file}`, integrity: `sha512-${integrity}` }
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } }
  }
}

/** By folder. What is installed here was resolved by the lockfile: every dependency has its folder. */
function withDependencies(folders: readonly string[]): Map<string, Manifest> {
  const found = new Map<string, Manifest>()
  const open = [...folders]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (found.has(folder)) continue
    const manifest = JSON.parse(textOf(`${folder}/package.json`)) as Manifest
    found.set(folder, manifest)
    const others = Object.keys(manifest.dependencies ?? {}).filter((name) => name !== 'parley-mcp')
    open.push(...others.map((name) => folderOf(name, folder)))
  }
  return found
}

/** npm puts what does not fit at the top beside the package that needs it. */
function folderOf(name: string, user: string): string {
  const beside = `${user}/node_modules/${name}`
  return existsSync(join(root, beside)) ? beside : `node_modules/${name}`
}

/** As `npm pack` names it. */
function fileOf({ name, version }: Manifest): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
}
