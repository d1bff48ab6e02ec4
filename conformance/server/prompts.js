/** The prompts the suite gets. */
import { embed, image, prompt, user } from 'parley-mcp/server'
import { PIXEL } from './content.js'

export const prompts = [
  prompt('test_simple_prompt', { description: 'Without arguments' }, () => 'This is a simple prompt for testing.'),
  prompt(
    'test_prompt_with_arguments',
    {
      description: 'With two arguments',
      arguments: { arg1: { description: 'First', required: true }, arg2: { description: 'Second', required: true } },
      complete: { arg1: ['test value 1', 'test value 2', 'paris'], arg2: [] },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  ),
  prompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'With a resource inside',
      arguments: { resourceUri: { description: 'Which resource', required: true } },
    },
    ({ resourceUri }) => [
      user(embed(resourceUri, { mimeType: 'text/plain', text: 'Embedded resource content.' })),
      user('Please process the resource above.'),
    ],
  ),
  prompt('test_prompt_with_image', { description: 'With an image inside' }, () => [
    user(image(PIXEL, 'image/png')),
    user('Please describe the image above.'),
  ]),
]
