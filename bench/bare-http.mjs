// Baseline for an HTTP round trip: a plain Node server that reads a JSON body and returns some kilobytes of JSON.
import { createServer } from 'node:http'

const ANSWER = JSON.stringify({
  items: Array.from({ length: 10 }, (_, at) => ({ id: String(at), summary: 'x'.repeat(400) })),
})

const server = createServer((request, reply) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    reply.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER)
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
})
