import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Cairn } from './cairn.ts'

let url: string
const seen: (string | undefined)[] = []
const server = createServer((request, reply) => {
  seen.push(request.headers.authorization)
  reply.setHeader('content-type', 'application/json').end('{}')
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

it('public operations work without a key, and are sent without one even if there is one', async () => {
  for (const apiKey of ['', 'cairn_key']) {
    const cairn = new Cairn({ url, apiKey, readsEnvironment: false })
    await cairn.signInToConsole({ code: 'c' })
    await cairn.getHealth()
  }
  expect(seen).toEqual([undefined, undefined, undefined, undefined])
  await expect(new Cairn({ url, apiKey: '', readsEnvironment: false }).listApiKeys()).rejects.toThrow('needs a key')
})

it("with the session cookie no key is sent, and the request is marked as the service's own", async () => {
  const asked: RequestInit[] = []
  const fetch = async (_: unknown, init: RequestInit = {}) => {
    asked.push(init)
    return Response.json([])
  }
  const cairn = new Cairn({ url, usesCookie: true, readsEnvironment: false, fetch: fetch as typeof globalThis.fetch })
  await cairn.listApiKeys()
  await cairn.revokeApiKey({ key_id: 'key_1' })
  for (const { headers, credentials } of asked) {
    expect(headers).toMatchObject({ 'x-cairn-request': '1' })
    expect(headers).not.toHaveProperty('authorization')
    expect(credentials).toBe('same-origin')
  }
  expect(asked).toHaveLength(2)
})
