// A web endpoint on Deno that streams Cairn's answer to a question: GET /?q=When+is+the+launch
//   deno add npm:@cairnstore/client
//   deno run --allow-net --allow-env answer.ts
//
// With --allow-sys=homedir and --allow-read of ~/.config/cairn it may also use a profile of the command line.
import { Cairn } from '@cairnstore/client'

const cairn = new Cairn()
const encoder = new TextEncoder()

/** Yields a JSON line for each delta of an answer, then its citations. A delta with `restart` voids those before it. */
async function* lines(question: string): AsyncGenerator<Uint8Array> {
  const stream = cairn.streamAsk(question)
  for await (const delta of stream) yield encoder.encode(`${JSON.stringify(delta)}\n`)
  const { citations } = await stream.result()
  yield encoder.encode(`${JSON.stringify({ citations })}\n`)
}

Deno.serve({ hostname: '127.0.0.1', port: Number(Deno.env.get('PORT') ?? 8000) }, (request) => {
  const question = new URL(request.url).searchParams.get('q')
  if (!question) return new Response('Ask with ?q=…\n', { status: 400 })
  // If the client disconnects, the answer is canceled.
  return new Response(ReadableStream.from(lines(question)), { headers: { 'content-type': 'application/x-ndjson' } })
})
