import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@cairnstore/contract'
import { expect, it, vi } from 'vitest'
import { call, credentials } from './call.ts'
import { toInputs } from './inputs.ts'

const { getProfile } = operations

/** Asks a service that answers so for an account, and gives what came of it with what was told beside it. */
async function asked(answer: RequestListener, isQuiet = false): Promise<{ reply: unknown; told: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const told: string[] = []
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0)
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const settings = { url, key: 'k', keyName: 'k', sandbox: undefined, isQuiet }
    const reply = await call(getProfile, toInputs(getProfile, [], {}), settings).catch((error: Error) => error.message)
    return { reply, told: told.join('') }
  } finally {
    written.mockRestore()
    server.close()
  }
}

/** A service that has had enough so often, and wants to be left alone so long. */
function busy(times: number, retryAfter: string): RequestListener {
  let left = times
  return (_, reply) => {
    left -= 1
    if (left < 0) return reply.end('{"user_id": "acct_1", "display_name": null}')
    const body = { error: 'rate_limited', detail: 'Too many requests.' }
    return reply.writeHead(429, { 'retry-after': retryAfter }).end(JSON.stringify(body))
  }
}

it('where the service takes no more for now, a command waits as it is told and says so', async () => {
  const { reply, told } = await asked(busy(2, '0'))
  expect(reply).toMatchObject({ user_id: 'acct_1' })
  expect(told).toBe('The service takes no more for now (429). Waiting 0 s, as it says.\n'.repeat(2))
  expect(await asked(busy(1, '0'), true)).toMatchObject({ reply: { user_id: 'acct_1' }, told: '' })
})

it('it does not wait without end, nor for long', async () => {
  const often = await asked(busy(1000, '0'))
  expect(often.reply).toMatch(/429 rate_limited[\s\S]*Try again in 0 s/)
  expect(often.told.split('\n')).toHaveLength(11)
  expect((await asked(busy(1000, '86400'))).reply).toMatch(/Try again in 86400 s/)
})

it('a key of the caller’s own is sent with what has to do with content, and with nothing else', () => {
  const settings = { url: '', key: 'k', keyName: 'k', sandbox: undefined, isQuiet: false, encryptionKey: 'secret' }
  expect(credentials(operations.search, settings)).toEqual({ authorization: 'Bearer k', 'x-encryption-key': 'secret' })
  for (const operation of [getProfile, operations.listSandboxes, operations.createWebhook])
    expect(credentials(operation, settings)).toEqual({ authorization: 'Bearer k' })
})
