/** Where and with what the figures were taken. */
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'

/** `peers`: `{ name, package }` each. */
export function environment(command, peers) {
  const version = (name) =>
    JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version
  return {
    command,
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    processor: `${cpus()[0]?.model ?? 'unknown'} × ${cpus().length}`,
    // Figures from a busy machine are worth little, so the page says how busy it was.
    load: loadavg()[0],
    versions: Object.fromEntries(peers.map((peer) => [peer.name, version(peer.package)])),
  }
}
