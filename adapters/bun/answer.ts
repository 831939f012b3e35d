// A web endpoint on Bun that answers a question from Cairn as the answer is made: GET /?q=When+is+the+launch
//   bun add @cairnstore/client
//   bun run answer.ts
import { Cairn } from '@cairnstore/client'

const cairn = new Cairn()

/** A line of JSON for each piece of an answer, which voids those before it if it has `restart`; then its citations. */
async function* lines(question: string): AsyncGenerator<string> {
  const told = cairn.streamAsk(question)
  for await (const piece of told) yield `${JSON.stringify(piece)}\n`
  const { citations } = await told.result()
  yield `${JSON.stringify({ citations })}\n`
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 8000),
  fetch(request) {
    const question = new URL(request.url).searchParams.get('q')
    if (!question) return new Response('Ask with ?q=…\n', { status: 400 })
    // Where the reader goes away, the rest is neither told nor made.
    return new Response(lines(question), { headers: { 'content-type': 'application/x-ndjson' } })
  },
})
