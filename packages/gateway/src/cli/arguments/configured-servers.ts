/** The servers of a configuration: all, or one by its name. */
import { readConfig, type ServerConfig } from '../../config/index.ts'
import { usageError } from '../failure.ts'
import { didYouMean } from './similar-names.ts'

export async function serversOf(file: string, name: string | undefined): Promise<ServerConfig[]> {
  const {
    config: { servers },
  } = await readConfig(file)
  if (name === undefined) return [...servers.values()]
  const server = servers.get(name)
  if (server !== undefined) return [server]
  const names = [...servers.keys()]
  throw usageError(
    `There is no server ${JSON.stringify(name)} in ${file}${didYouMean(name, names)}`,
    names.length === 0 ? 'the file has no servers' : `its servers are ${names.join(', ')}`,
  )
}
