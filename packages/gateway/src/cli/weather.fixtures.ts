/** A server with one of everything, for command lines to meet. */
import { createServer, image, prompt, resource, type Server, ToolError, tool } from 'parley-mcp/server'

export function weatherServer(): Server {
  return createServer({
    name: 'weather',
    version: '2.0.0',
    title: 'Weather service',
    instructions: 'Ask for one city at a time.',
  }).add(
    tool(
      'forecast',
      {
        description: 'Forecast for a city\nwith more detail',
        input: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer' } },
          required: ['city'],
          additionalProperties: false,
        },
        output: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'number' } },
          required: ['city'],
        },
      },
      ({ city, days = 3 }) => ({ city, days }),
    ),
    tool('say', { description: 'Plain \u001b[31mtext' }, () => 'a line\u001b[2J'),
    tool('picture', { description: 'A picture' }, () => [image(new Uint8Array([1, 2, 3, 4]), 'image/png'), 'a dot']),
    tool('fail', { description: 'Never works' }, () => {
      throw new ToolError('The sky is closed')
    }),
    tool('slow', { description: 'Waits until it is cancelled' }, async (_, ctx) => {
      ctx.progress(1, 2, 'begun')
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
      return 'late'
    }),
    tool('deploy', { description: 'Asks first' }, async (_, ctx) => {
      const answer = await ctx.elicit('where', 'Deploy it?', {
        type: 'object',
        properties: {
          place: { type: 'string', enum: ['test', 'live'] },
          copies: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
          sure: { type: 'boolean' },
        },
        required: ['place', 'sure'],
      } as const)
      return JSON.stringify(answer)
    }),
    resource('weather://now', { name: 'Now' }, () => 'sunny'),
    resource('weather://{city}', { name: 'City' }, () => 'sunny'),
    prompt(
      'summary',
      { description: 'Sums it up', arguments: { type: 'object', properties: { city: { type: 'string' } } } },
      () => 'Sum it up',
    ),
  )
}
