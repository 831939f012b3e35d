import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Operation, operations } from '@cairnstore/contract'
import { expect, it, vi } from 'vitest'
import { call } from './call.ts'
import type { OperationInput } from './inputs.ts'
import type { Settings } from './settings.ts'

const { getProfile } = operations

interface Call {
  operation?: Operation
  asked?: OperationInput
  settings?: Partial<Settings>
}

/** Calls a service that gives this answer. Returns the outcome and the text written to standard error. */
async function asked(answer: RequestListener, { operation = getProfile, asked = {}, settings: own }: Call = {}) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const notes: string[] = []
  const written = vi.spyOn(process.stderr, 'write').mockImplementation((text) => notes.push(String(text)) > 0)
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const settings = { url, key: 'k', keyName: 'k', sandbox: undefined, isQuiet: false, ...own }
    const reply = await call(operation, asked, settings).catch((error: Error) => error.message)
    return { reply, notes: notes.join('') }
  } finally {
    written.mockRestore()
    server.close()
  }
}

/** Returns a listener that answers 429 with this Retry-After a number of times, then succeeds. */
function busy(times: number, retryAfter: string): RequestListener {
  let left = times
  return (_, reply) => {
    left -= 1
    if (left < 0) return reply.end('{"user_id": "acct_1", "display_name": null}')
    const body = { error: 'rate_limited', detail: 'Too many requests.' }
    return reply.writeHead(429, { 'retry-after': retryAfter }).end(JSON.stringify(body))
  }
}

it('a rate-limited command waits as long as the service asks and prints a note', async () => {
  const { reply, notes } = await asked(busy(2, '0'))
  expect(reply).toMatchObject({ user_id: 'acct_1' })
  expect(notes).toBe('The service is limiting requests (429). Retrying in 0 s.\n'.repeat(2))
  const quietly = await asked(busy(1, '0'), { settings: { isQuiet: true } })
  expect(quietly).toMatchObject({ reply: { user_id: 'acct_1' }, notes: '' })
})

it('a command gives up after too many waits or a long one', async () => {
  const often = await asked(busy(1000, '0'))
  expect(often.reply).toMatch(/429 rate_limited[\s\S]*Try again in 0 s/)
  expect(often.notes.split('\n')).toHaveLength(11)
  expect((await asked(busy(1000, '86400'))).reply).toMatch(/Try again in 86400 s/)
})

it('a reply of another program is not accepted, even if it is JSON', async () => {
  for (const said of ['{}', '[]', '7', 'null', '', '<html>']) {
    const { reply } = await asked((_, response) => response.end(said))
    expect(reply, said).toMatch(/replied with 200, but is not a Cairn service. Check CAIRN_URL/)
  }
})

it('environment variables that are no settings have no effect', async () => {
  vi.stubEnv('CAIRN_PROFILE', 'none of that name')
  vi.stubEnv('CAIRN_API_KEY', 'of the environment')
  vi.stubEnv('CAIRN_ENCRYPTION_KEY', Buffer.alloc(32).toString('base64'))
  const seen: IncomingHttpHeaders[] = []
  try {
    await asked(({ headers }, reply) => reply.end(`${seen.push(headers) && '{}'}`), {
      operation: operations.getOverview,
      asked: { sandbox_id: 'sbx_1' },
    })
  } finally {
    vi.unstubAllEnvs()
  }
  expect(seen).toMatchObject([{ authorization: 'Bearer k' }])
  expect(seen[0]).not.toHaveProperty('x-encryption-key')
})
