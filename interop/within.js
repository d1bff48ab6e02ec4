/** Settles as the work does, or fails when that takes too long. */
export async function within(ms, work) {
  let timer
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing happened for ${ms / 1000} s`)), ms)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
