// A proxy in front of a service that injects faults into the next requests: it replies itself, cuts the connection, or
// drops the reply.
import { once } from 'node:events'
import { createServer, request as forward } from 'node:http'

/**
 * @typedef {{ status?: number, retry_after?: string, location?: string, html?: boolean, cut?: boolean, lose?: boolean,
 *   silent?: boolean } | null} Fault null lets a request pass
 */

const PAGE = '<!doctype html><title>Sign in</title>'

/**
 * Starts the proxy. `PUT /__faults` sets the faults of the next requests, `GET /__seen` returns the requests since
 * then.
 * @param {string} target URL of the service
 */
export async function openFaultProxy(target) {
  /** @type {Fault[]} */
  let faults = []
  /** @type {{ method: string, path: string, headers: import('node:http').IncomingHttpHeaders }[]} */
  let seen = []
  const server = createServer(async (request, reply) => {
    const { method = '', url = '', headers } = request
    if (url === '/__seen') return void reply.end(JSON.stringify(seen))
    if (url === '/__faults') {
      let text = ''
      for await (const chunk of request) text += chunk
      faults = JSON.parse(text)
      seen = []
      return void reply.end()
    }
    seen.push({ method, path: url, headers })
    const fault = faults.shift() ?? {}
    if (fault.cut) return void request.socket.destroy()
    if (fault.silent) return void request.resume()
    if (fault.html || fault.status) {
      // Read the rest of the body, so that the client receives the reply.
      request.resume()
      await once(request, 'end')
      return answer(reply, fault)
    }
    const passed = forward(`${target}${url}`, { method, headers }, (answer) => {
      if (fault.lose) return void answer.resume().once('end', () => request.socket.destroy())
      reply.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(reply)
    })
    passed.once('error', () => reply.destroy())
    reply.once('close', () => passed.destroy())
    request.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** @param {import('node:http').ServerResponse} reply @param {NonNullable<Fault>} fault */
function answer(reply, { status = 200, retry_after: wait, location, html }) {
  if (html) return void reply.writeHead(status, { 'content-type': 'text/html' }).end(PAGE)
  const body = { error: status === 429 ? 'rate_limited' : 'unavailable', detail: 'Not now.', request_id: 'proxy-1' }
  reply.writeHead(status, {
    'content-type': 'application/json',
    ...(wait !== undefined && { 'retry-after': wait }),
    ...(location && { location }),
  })
  reply.end(JSON.stringify(body))
}
