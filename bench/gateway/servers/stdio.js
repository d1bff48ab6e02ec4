/** `node stdio.js VERSION`: the server behind the gateways, over pipes and without any library. */
import { answering } from '../answers.js'

const answer = answering(process.argv[2])

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  const texts = lines.map(answer).filter((text) => text !== undefined)
  if (texts.length > 0) process.stdout.write(`${texts.join('\n')}\n`)
})
process.stdin.on('end', () => process.exit())
