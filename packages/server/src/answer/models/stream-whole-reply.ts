/**
 * Wraps `fetch` for servers that ignore `stream: true` and reply in one piece. Converts the reply into a single event,
 * so that it can be read like a stream.
 */
export function streamWholeReply(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const reply = await fetch(input, init)
    const isAskedAsStream = typeof init?.body === 'string' && /"stream":\s*true/.test(init.body)
    const isWhole = reply.headers.get('content-type')?.includes('application/json') ?? false
    if (!isAskedAsStream || !isWhole || !reply.ok) return reply
    const text = await reply.text()
    const headers = new Headers(reply.headers)
    headers.set('content-type', 'text/event-stream')
    headers.delete('content-length')
    return new Response(eventOf(text) ?? text, { status: reply.status, headers })
  }
}

function eventOf(text: string): string | undefined {
  try {
    const { choices, ...rest } = JSON.parse(text)
    const deltas = choices.map(({ message, ...choice }: { message: object }) => ({ ...choice, delta: message }))
    return `data: ${JSON.stringify({ ...rest, choices: deltas })}\n\ndata: [DONE]\n\n`
  } catch {
    return undefined
  }
}
