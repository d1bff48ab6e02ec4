/** Messages as each version has them, for timing their translation. */

/** Versions are dates, so they have the order of texts. */
const since = (version, first) => version >= first

function envelope(version) {
  return since(version, '2026-07-28') ? { resultType: 'complete' } : {}
}

/** A tool result of about one kilobyte. */
export function toolResult(version) {
  const days = Array.from({ length: 5 }, (_, at) => ({
    day: at,
    high: 11 + at,
    low: 4,
    summary: 'Rain in the morning',
  }))
  const structured = { city: 'Reykjavík', days }
  const result = { ...envelope(version), content: [{ type: 'text', text: JSON.stringify(structured) }] }
  result.content.push({
    type: 'resource',
    resource: {
      uri: 'weather://stations/reykjavik',
      mimeType: 'text/plain',
      text: 'Station 4030, 61 m above the sea. '.repeat(4),
    },
  })
  if (since(version, '2025-06-18')) result.structuredContent = structured
  return result
}

function toolDefinition(version, at) {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1, maximum: 14 } },
    required: ['city'],
  }
  return {
    name: `forecast-${at}`,
    description: `Forecast for a city over the next days, source ${at}`,
    inputSchema: schema,
    ...(since(version, '2025-03-26') ? { annotations: { title: 'Forecast', readOnlyHint: true } } : {}),
    ...(since(version, '2025-06-18')
      ? {
          title: 'Forecast',
          outputSchema: { type: 'object', properties: { high: { type: 'number' } }, required: ['high'] },
        }
      : {}),
    ...(since(version, '2025-11-25')
      ? { icons: [{ src: 'https://example.com/rain.png', mimeType: 'image/png' }] }
      : {}),
  }
}

export function toolList(version) {
  const cached = since(version, '2026-07-28') ? { ttlMs: 60_000, cacheScope: 'public' } : {}
  return { ...envelope(version), ...cached, tools: Array.from({ length: 50 }, (_, at) => toolDefinition(version, at)) }
}
