/** `npm run bench -- <suite> [options]`. */

const suites = {
  engine: () => import('./engine.js'),
  transports: () => import('./transports.js'),
  stateless: () => import('./stateless.js'),
  gateway: () => import('./gateway.js'),
}

const [name, ...options] = process.argv.slice(2)
const load = suites[name]

if (load === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(suites).join(' | ')} [--quick] [--check] [--beside FOLDER]`)
  process.exitCode = 2
} else {
  const { run } = await load()
  await run(options)
}
