/** The files in which MCP clients configure their servers. */
import { readFile } from 'node:fs/promises'
import { posix, win32 } from 'node:path'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import type { JsonObject } from 'parley-mcp'
import { isObject } from 'parley-mcp/engine'

export interface ClientEnvironment {
  readonly home: string
  /** The folder of a project. Some clients have a file there. */
  readonly folder: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface ClientFile {
  /** The name of the client. */
  readonly client: string
  readonly path: string
  /** Where relative paths of the file start. */
  readonly base: string
  /** Takes the servers out of what was read. */
  readonly serversIn: (content: JsonObject) => unknown
}

const MCP_SERVERS = (content: JsonObject): unknown => content['mcpServers']

/** All files, in the order of the report. */
export function clientFiles({ home, folder, platform, env }: ClientEnvironment): ClientFile[] {
  const { join } = platform === 'win32' ? win32 : posix
  const settings = settingsFolder({ home, platform, env }, join)
  const ofUser = (client: string, path: string, serversIn = MCP_SERVERS): ClientFile => ({
    client,
    path,
    base: home,
    serversIn,
  })
  const ofProject = (client: string, path: string, serversIn = MCP_SERVERS): ClientFile => ({
    client,
    path: join(folder, path),
    base: folder,
    serversIn,
  })
  const editor = (content: JsonObject): unknown => content['servers']
  return [
    ofUser('Claude Desktop', join(settings, 'Claude', 'claude_desktop_config.json')),
    ofUser('Cursor', join(home, '.cursor', 'mcp.json')),
    ofProject('Cursor', join('.cursor', 'mcp.json')),
    ofUser('VS Code', join(settings, 'Code', 'User', 'mcp.json'), editor),
    ofProject('VS Code', join('.vscode', 'mcp.json'), editor),
    ofUser('Windsurf', join(home, '.codeium', 'windsurf', 'mcp_config.json')),
    ofUser('Claude Code', join(home, '.claude.json'), (content) => claudeCodeServers(content, folder)),
    ofProject('Claude Code', '.mcp.json'),
  ]
}

function settingsFolder({ home, platform, env }: Omit<ClientEnvironment, 'folder'>, join: typeof posix.join): string {
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config')
}

/** The servers of all projects and of this project. */
function claudeCodeServers(content: JsonObject, folder: string): unknown {
  const { mcpServers = {}, projects } = content
  const project = isObject(projects) ? projects[folder] : undefined
  const own = isObject(project) ? project['mcpServers'] : undefined
  return isObject(mcpServers) && isObject(own) ? { ...mcpServers, ...own } : mcpServers
}

export type ClientServers = { readonly servers: ReadonlyMap<string, unknown> } | { readonly problem: string }

/** Undefined if there is no such file. Accepts comments and trailing commas, as editors do. */
export async function readClientFile({ path, serversIn }: ClientFile): Promise<ClientServers | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : { problem: `the file cannot be read: ${code}` }
  }
  const errors: ParseError[] = []
  const content: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined)
    return { problem: `line ${text.slice(0, first.offset).split('\n').length}: ${printParseErrorCode(first.error)}` }
  if (!isObject(content)) return { problem: 'the file does not contain a JSON object' }
  const servers = serversIn(content as JsonObject) ?? {}
  return isObject(servers)
    ? { servers: new Map(Object.entries(servers)) }
    : { problem: 'its servers are not a JSON object' }
}
