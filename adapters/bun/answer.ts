// A web endpoint on Bun that streams Cairn's answer to a question: GET /?q=When+is+the+launch
//   bun add @cairnstore/client
//   bun run answer.ts
import { Cairn } from '@cairnstore/client'

const cairn = new Cairn()

/** Yields a JSON line for each delta of an answer, then its citations. A delta with `restart` voids those before it. */
async function* lines(question: string): AsyncGenerator<string> {
  const stream = cairn.streamAsk(question)
  for await (const delta of stream) yield `${JSON.stringify(delta)}\n`
  const { citations } = await stream.result()
  yield `${JSON.stringify({ citations })}\n`
}

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 8000),
  fetch(request) {
    const question = new URL(request.url).searchParams.get('q')
    if (!question) return new Response('Ask with ?q=…\n', { status: 400 })
    // If the client disconnects, the answer is canceled.
    return new Response(lines(question), { headers: { 'content-type': 'application/x-ndjson' } })
  },
})
