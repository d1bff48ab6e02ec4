/** The tools the suite calls in every version: plain contents, failures, progress and logs. */
import { audio, embed, image, result, ToolError, text, tool } from 'parley-mcp/server'
import { PIXEL, SILENCE } from './content.js'
import { CONDITIONAL_SCHEMA } from './forms.js'

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const embedded = () =>
  embed('test://embedded-resource', { mimeType: 'text/plain', text: 'This is an embedded resource.' })

export const tools = [
  tool('test_simple_text', { description: 'Answers with a text' }, () => 'This is a simple text response for testing.'),
  tool('test_image_content', { description: 'Answers with an image' }, () => image(PIXEL, 'image/png')),
  tool('test_audio_content', { description: 'Answers with a sound' }, () => audio(SILENCE, 'audio/wav')),
  tool('test_embedded_resource', { description: 'Answers with a resource' }, embedded),
  tool('test_multiple_content_types', { description: 'Answers with several kinds of content' }, () =>
    result({ content: [text('Several kinds of content:'), image(PIXEL, 'image/png'), embedded()] }),
  ),
  tool('test_error_handling', { description: 'Always fails' }, () => {
    throw new ToolError('This tool intentionally returns an error for testing')
  }),
  tool('test_tool_with_progress', { description: 'Reports its progress' }, async (_, ctx) => {
    for (const done of [0, 50, 100]) {
      ctx.progress(done, 100, `${done} of 100`)
      await pause(50)
    }
    return 'Done.'
  }),
  tool('test_tool_with_logging', { description: 'Logs while it works' }, async (_, ctx) => {
    for (const line of ['Started', 'Halfway', 'Finished']) {
      ctx.log('info', line)
      await pause(50)
    }
    return 'Logged three lines.'
  }),
  tool(
    'test_reconnection',
    { description: 'Ends its stream before it answers, so that the client comes back for the answer' },
    async (_, ctx) => {
      ctx.poll(500)
      await pause(100)
      return 'Answered after the stream had ended.'
    },
  ),
  tool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema with many keywords', input: CONDITIONAL_SCHEMA },
    (args) => JSON.stringify(args),
  ),
]
