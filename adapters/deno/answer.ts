// A web endpoint on Deno that answers a question from Cairn as the answer is made: GET /?q=When+is+the+launch
//   deno add npm:@cairnstore/client
//   deno run --allow-net --allow-env answer.ts
// With --allow-sys=homedir and --allow-read of ~/.config/cairn it may also use a profile of the command line.
import { Cairn } from '@cairnstore/client'

const cairn = new Cairn()
const encoder = new TextEncoder()

/** A line of JSON for each piece of an answer, which voids those before it if it has `restart`; then its citations. */
async function* lines(question: string): AsyncGenerator<Uint8Array> {
  const told = cairn.streamAsk(question)
  for await (const piece of told) yield encoder.encode(`${JSON.stringify(piece)}\n`)
  const { citations } = await told.result()
  yield encoder.encode(`${JSON.stringify({ citations })}\n`)
}

Deno.serve({ hostname: '127.0.0.1', port: Number(Deno.env.get('PORT') ?? 8000) }, (request) => {
  const question = new URL(request.url).searchParams.get('q')
  if (!question) return new Response('Ask with ?q=…\n', { status: 400 })
  // Where the reader goes away, the rest is neither told nor made.
  return new Response(ReadableStream.from(lines(question)), { headers: { 'content-type': 'application/x-ndjson' } })
})
