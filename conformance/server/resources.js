/** The resources the suite reads and watches. */
import { resource } from 'parley-mcp/server'
import { PIXEL } from './content.js'

export const resources = [
  resource(
    'test://static-text',
    { name: 'Static text', description: 'A text that never changes', mimeType: 'text/plain' },
    () => 'This is the content of the static text resource.',
  ),
  resource(
    'test://static-binary',
    { name: 'Static binary', description: 'An image that never changes', mimeType: 'image/png' },
    () => ({ blob: PIXEL }),
  ),
  resource(
    'test://watched-resource',
    { name: 'Watched resource', description: 'Can be subscribed to', mimeType: 'text/plain' },
    () => 'Watched content.',
  ),
  resource(
    'test://template/{id}/data',
    { name: 'Data by id', description: 'One resource for every id', mimeType: 'application/json' },
    ({ id }) => ({
      json: { id, data: `Data for id ${id}` },
    }),
  ),
]
