/** Resources, templates, prompts, roots and completions: what lists and lookups carry. */
import fc from 'fast-check'
import type { ProtocolVersion } from '../../../src/versions/index.ts'
import { block } from './content.ts'
import { params, result } from './envelope.ts'
import { annotations, icons, title } from './metadata.ts'
import { closed, innerMeta, type ObjectArb, open, since, V06 } from './shape.ts'
import { count, fileUri, flag, listOf, mimeType, role, strings, text, uri, word } from './values.ts'

export const resource = (version: ProtocolVersion): ObjectArb =>
  open(
    { uri, name: word },
    {
      description: text,
      mimeType,
      size: count,
      annotations: annotations(version),
      ...title(version),
      ...icons(version),
      ...innerMeta(version),
    },
  )

export const resourceTemplate = (version: ProtocolVersion): ObjectArb =>
  open(
    { uriTemplate: word.map((name) => `file:///{${name}}`), name: word },
    {
      description: text,
      mimeType,
      annotations: annotations(version),
      ...title(version),
      ...icons(version),
      ...innerMeta(version),
    },
  )

const argument = (version: ProtocolVersion): ObjectArb =>
  open({ name: word }, { description: text, required: flag, ...title(version) })

export const prompt = (version: ProtocolVersion): ObjectArb =>
  open(
    { name: word },
    {
      description: text,
      arguments: listOf(argument(version), 2),
      ...title(version),
      ...icons(version),
      ...innerMeta(version),
    },
  )

export const promptMessage = (version: ProtocolVersion): ObjectArb => open({ role, content: block(version) })

/** Published releases accept file URIs only. */
export const root = (version: ProtocolVersion): ObjectArb =>
  open({ uri: fileUri }, { name: text, ...innerMeta(version) })

const reference = (version: ProtocolVersion): ObjectArb =>
  fc.oneof(
    open({ type: fc.constant('ref/prompt'), name: word }, title(version)),
    open({ type: fc.constant('ref/resource'), uri }),
  )

const known = fc.dictionary(word, text, { maxKeys: 2 })

export const completionParams = (version: ProtocolVersion): ObjectArb =>
  params(
    version,
    { ref: reference(version), argument: open({ name: word, value: text }) },
    since(version, V06, { context: closed({}, { arguments: known }) }),
  )

export const completionResult = (version: ProtocolVersion): ObjectArb =>
  result(version, { completion: open({ values: strings }, { total: count, hasMore: flag }) })

export const stringArguments = known
