import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { openSending, type Sending } from './sending.ts'

let sending: Sending | undefined
afterEach(() => sending?.close())

test('a process that changes to another protocol has not answered, and is not waited for', async () => {
  const server = createServer()
  server.on('connection', (socket) =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  sending = openSending()
  const caller = new ServerResponse(new IncomingMessage(new Socket()))
  const place = { id: 'one', url: `http://127.0.0.1:${address.port}` }
  const head = { method: 'GET', path: '/', headers: {} }
  await expect(sending.send(place, head, Buffer.alloc(0), caller)).rejects.toThrow()
  expect(sending.count()).toBe(0)
  server.close()
})
