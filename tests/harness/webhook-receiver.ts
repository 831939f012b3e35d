import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received message. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  payload: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came, and fails when it is not there.
  body: any
}

/** Reply to a message. */
export interface ReceiverAnswer {
  status: number
  headers?: Record<string, string>
  /** Awaited before the reply. */
  before?: Promise<unknown>
}

/** An endpoint on loopback that stores the messages it receives. */
export interface WebhookReceiver {
  readonly url: string
  readonly received: Received[]
  /** Returns the reply to a message; 204 by default. */
  answer: (message: Received) => ReceiverAnswer
  close(): Promise<void>
}

/** Starts an endpoint. */
export async function openWebhookReceiver(port = 0): Promise<WebhookReceiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const payload = Buffer.concat(chunks).toString('utf8')
    const message = { path: request.url ?? '', headers: request.headers, payload, body: JSON.parse(payload) }
    received.push(message)
    const { status, headers = {}, before } = receiver.answer(message)
    await before
    response.writeHead(status, headers).end('what an endpoint says is nobody’s to see')
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: () => ({ status: 204 }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return receiver
}
