import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { userName } from '../settings.ts'
import { INIT } from './init.ts'

let place: string
let server: Server
const asked: { path: string; authorization: string | undefined }[] = []
let answers: Record<string, unknown>

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), 'cairn-init-'))
  asked.length = 0
  server = createServer((request, reply) => {
    asked.push({ path: request.url!, authorization: request.headers.authorization })
    const body = answers[request.url!]
    reply.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('XDG_CONFIG_HOME', join(place, 'config'))
  vi.stubEnv('CAIRN_PORT', String((server.address() as AddressInfo).port))
  vi.stubEnv('CAIRN_ADMIN_KEY', 'operator')
  vi.stubEnv('CAIRN_API_KEY', 'own')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(place, { recursive: true, force: true })
})

const init = () => INIT.run({ operands: [], options: { quiet: true } }, { offersFor: () => '' } as never)

it('no key is sent to a server that is not a Cairn service', async () => {
  for (const other of [{}, { '/readyz': { status: 'ok' }, '/openapi.json': { info: { title: 'Other' } } }]) {
    answers = other
    await expect(init()).rejects.toThrow(/not a Cairn service/)
  }
  expect(asked.length).toBeGreaterThan(1)
  expect(asked.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  expect(existsSync(join(place, 'config/cairn/profiles.json'))).toBe(false)
})

it('an unwritable profiles file is reported before anything is created', async () => {
  writeFileSync(join(place, 'file'), '')
  vi.stubEnv('XDG_CONFIG_HOME', join(place, 'file'))
  await expect(init()).rejects.toThrow(/cannot be written \(ENOTDIR\)\. Set XDG_CONFIG_HOME/)
  expect(asked).toEqual([])
})

it('a user without a passwd entry has no name, and this is no error', () => {
  vi.stubEnv('USER', '')
  const unknown = () => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  }
  expect(userName(unknown)).toBe('')
})
