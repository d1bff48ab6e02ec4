/** What describes things: icons, annotations, implementations, capabilities. */
import fc from 'fast-check'
import { isAtLeast, type ProtocolVersion } from '../../../src/versions/index.ts'
import { closed, type Fields, type ObjectArb, only, open, since, V03, V06, V11, V26 } from './shape.ts'
import { flag, fraction, instant, listOf, mimeType, plainObject, role, text, webUrl, word } from './values.ts'

const icon = open(
  { src: webUrl },
  { mimeType, sizes: listOf(fc.constantFrom('48x48', 'any')), theme: fc.constantFrom('light', 'dark') },
)

export const icons = (version: ProtocolVersion): Fields => since(version, V11, { icons: listOf(icon, 2) })
export const title = (version: ProtocolVersion): Fields => since(version, V06, { title: text })

export const annotations = (version: ProtocolVersion): ObjectArb =>
  open({}, { audience: listOf(role, 2), priority: fraction, ...since(version, V06, { lastModified: instant }) })

export const implementation = (version: ProtocolVersion): ObjectArb =>
  open(
    { name: word, version: text },
    { ...title(version), ...icons(version), ...since(version, V11, { description: text, websiteUrl: webUrl }) },
  )

const empty = fc.constant({})
const settings = fc.oneof(empty, plainObject)

export const clientCapabilities = (version: ProtocolVersion): ObjectArb =>
  open(
    {},
    {
      experimental: fc.dictionary(word, settings, { maxKeys: 2 }),
      roots: isAtLeast(version, V26) ? empty : open({}, { listChanged: flag }),
      sampling: open({}, since(version, V11, { context: settings, tools: settings })),
      ...since(version, V06, { elicitation: open({}, since(version, V11, { form: settings, url: settings })) }),
      ...only(version, V11, { tasks: clientTasks }),
      ...since(version, V26, {
        extensions: fc.dictionary(fc.constantFrom('com.example/ext', 'io.modelcontextprotocol/ui'), settings, {
          maxKeys: 2,
        }),
      }),
    },
  )

const clientTasks = open(
  {},
  {
    list: empty,
    cancel: empty,
    requests: closed(
      {},
      { sampling: closed({}, { createMessage: empty }), elicitation: closed({}, { create: empty }) },
    ),
  },
)

const serverTasks = open(
  {},
  { list: empty, cancel: empty, requests: closed({}, { tools: closed({}, { call: empty }) }) },
)

export const serverCapabilities = (version: ProtocolVersion): ObjectArb =>
  open(
    {},
    {
      experimental: fc.dictionary(word, settings, { maxKeys: 2 }),
      logging: settings,
      prompts: open({}, { listChanged: flag }),
      resources: open({}, { subscribe: flag, listChanged: flag }),
      tools: open({}, { listChanged: flag }),
      ...since(version, V03, { completions: settings }),
      ...only(version, V11, { tasks: serverTasks }),
      ...since(version, V26, {
        extensions: fc.dictionary(fc.constantFrom('com.example/ext', 'io.modelcontextprotocol/ui'), settings, {
          maxKeys: 2,
        }),
      }),
    },
  )
