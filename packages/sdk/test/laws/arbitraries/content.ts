/** Content blocks of tool results, prompts and sampling. */
import fc from 'fast-check'
import type { ProtocolVersion } from '../../../src/versions/index.ts'
import { isAtLeast } from '../../../src/versions/index.ts'
import { annotations, icons, title } from './metadata.ts'
import { innerMeta, type ObjectArb, open, V03, V06, V11, V26 } from './shape.ts'
import { base64, count, flag, json, jsonObject, listOf, mimeType, text, uri, word } from './values.ts'

const decorated = (version: ProtocolVersion) => ({ annotations: annotations(version), ...innerMeta(version) })

const textBlock = (version: ProtocolVersion): ObjectArb => open({ type: fc.constant('text'), text }, decorated(version))
const bytesBlock = (version: ProtocolVersion, type: 'image' | 'audio'): ObjectArb =>
  open({ type: fc.constant(type), data: base64, mimeType }, decorated(version))
const resourceBlock = (version: ProtocolVersion): ObjectArb =>
  open({ type: fc.constant('resource'), resource: resourceContents(version) }, decorated(version))
const linkBlock = (version: ProtocolVersion): ObjectArb =>
  open(
    { type: fc.constant('resource_link'), uri, name: word },
    { description: text, mimeType, size: count, ...title(version), ...icons(version), ...decorated(version) },
  )

export const resourceContents = (version: ProtocolVersion): ObjectArb =>
  fc.oneof(
    open({ uri, text }, { mimeType, ...innerMeta(version) }),
    open({ uri, blob: base64 }, { mimeType, ...innerMeta(version) }),
  )

const audioSince = (version: ProtocolVersion) => (isAtLeast(version, V03) ? [bytesBlock(version, 'audio')] : [])

/** What tools and prompts may show. */
export const block = (version: ProtocolVersion): ObjectArb =>
  fc.oneof(
    textBlock(version),
    bytesBlock(version, 'image'),
    resourceBlock(version),
    ...audioSince(version),
    ...(isAtLeast(version, V06) ? [linkBlock(version)] : []),
  )

const toolUse = (version: ProtocolVersion): ObjectArb =>
  open({ type: fc.constant('tool_use'), id: word, name: word, input: jsonObject }, innerMeta(version))

const toolResult = (version: ProtocolVersion): ObjectArb =>
  open(
    { type: fc.constant('tool_result'), toolUseId: word, content: listOf(block(version), 2) },
    { structuredContent: isAtLeast(version, V26) ? json : jsonObject, isError: flag, ...innerMeta(version) },
  )

const spoken = (version: ProtocolVersion): ObjectArb[] => [
  textBlock(version),
  bytesBlock(version, 'image'),
  ...audioSince(version),
]

/**
 * One block, or since 2025-11-25 a list of them; tool blocks are rarer than the rest because older versions refuse
 * them.
 */
export function samplingContent(version: ProtocolVersion): fc.Arbitrary<unknown> {
  const plain = fc.oneof(...spoken(version))
  if (!isAtLeast(version, V11)) return plain
  const tools = fc.oneof(toolUse(version), toolResult(version))
  return fc.oneof(
    { weight: 4, arbitrary: plain },
    { weight: 3, arbitrary: listOf(plain) },
    { weight: 1, arbitrary: tools },
    { weight: 1, arbitrary: listOf(fc.oneof(tools, plain)) },
  )
}
