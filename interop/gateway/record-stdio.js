/**
 * Loaded before a program (`--import`): writes down what goes through its standard input and output, byte for byte, one
 * JSON line for each line. Its address says where to (`frames`), and whose frames those are that the program writes
 * (`self`: `ours` or `theirs`).
 */
import { appendFileSync } from 'node:fs'

const { searchParams } = new URL(import.meta.url)
const file = searchParams.get('frames')
const self = searchParams.get('self')
const peer = self === 'ours' ? 'theirs' : 'ours'

/** Gives a function that takes chunks and writes down the lines they make. */
function lines(from) {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const parts = `${rest}${typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })}`.split('\n')
    rest = parts.pop()
    for (const frame of parts.filter((part) => part.trim() !== ''))
      appendFileSync(file, `${JSON.stringify({ session: `stdio ${process.pid}`, from, frame })}\n`)
  }
}

const written = lines(self)
const { write } = process.stdout
process.stdout.write = function record(chunk, ...rest) {
  written(chunk)
  return Reflect.apply(write, process.stdout, [chunk, ...rest])
}

const read = lines(peer)
const { emit } = process.stdin
process.stdin.emit = function record(name, ...rest) {
  if (name === 'data') read(rest[0])
  return Reflect.apply(emit, process.stdin, [name, ...rest])
}
