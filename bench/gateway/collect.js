/** Loaded into a process before its program, with `--expose-gc`: a signal makes it collect, so that what is left is what it holds. */

process.on('SIGUSR2', () => {
  for (let pass = 0; pass < 2; pass++) globalThis.gc()
})
