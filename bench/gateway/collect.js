/**
 * Loaded into a process before its program, with `--expose-gc`: a signal makes it collect and write down the bytes on
 * its heap, which is what it holds.
 */
import { writeFileSync } from 'node:fs'

process.on('SIGUSR2', () => {
  for (let pass = 0; pass < 2; pass++) globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(process.env.BENCH_HEAP_FILE, String(heapUsed + external))
})
