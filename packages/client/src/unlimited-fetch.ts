import type { IncomingMessage } from 'node:http'
import { builtin } from './settings.ts'

const NO_BODY = [204, 304]

/**
 * Returns a `fetch` without Node's limit of five minutes until the response headers. The service can throttle an import
 * for hours, so only the signal ends a request. Returns undefined outside Node.
 */
export function unlimitedFetch(): typeof fetch | undefined {
  const http = builtin<typeof import('node:http')>('node:http')
  const https = builtin<typeof import('node:https')>('node:https')
  const streams = builtin<typeof import('node:stream')>('node:stream')
  if (!http || !https || !streams) return undefined
  return async (input, init = {}) => {
    const url = new URL(String(input))
    const { request } = url.protocol === 'https:' ? https : http
    const { method = 'GET', headers = {}, body, signal } = init
    const sent = request(url, { method, headers: headers as Record<string, string>, ...(signal && { signal }) })
    const reply = new Promise<IncomingMessage>((resolve, reject) => {
      sent.on('response', resolve).on('error', (cause) => reject(new TypeError('fetch failed', { cause })))
    })
    if (body instanceof ReadableStream || body instanceof Blob) {
      const bytes = body instanceof Blob ? body.stream() : body
      // The service may reject a request and stop reading before the body is sent. The reply decides, not the write
      // error.
      const whole = streams.Readable.fromWeb(bytes as Parameters<typeof streams.Readable.fromWeb>[0])
      streams.pipeline(whole, sent, (error) => error && sent.destroy(error))
    } else {
      sent.end(body)
    }
    const {
      statusCode: status = 0,
      headers: given,
      ...rest
    } = await reply.then((message) => ({
      statusCode: message.statusCode,
      headers: message.headers,
      message,
    }))
    const stream = NO_BODY.includes(status)
      ? null
      : (streams.Readable.toWeb(rest.message) as ReadableStream<Uint8Array>)
    const pairs = Object.entries(given).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each]))
    return new Response(stream, { status, headers: pairs as [string, string][] })
  }
}
