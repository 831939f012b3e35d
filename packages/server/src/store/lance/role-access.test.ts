import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BUCKET, openObjectStore } from '../../../../../tests/harness/object-store.ts'
import { systemClock } from '../../base/clock.ts'
import { openLog } from '../../base/log.ts'
import type { RoleSettings } from '../../config/config.ts'
import { EMPTY_HEAD } from '../../db/head.ts'
import { openRoleAccess } from './role-access.ts'
import { LanceStores } from './stores.ts'

const SOON = { interval: 50 }
const METADATA_ENDPOINT = 'AWS_EC2_METADATA_SERVICE_ENDPOINT'
const log = openLog('silent', systemClock, () => undefined)
const nowMs = () => systemClock.now().getTime()
const settings: RoleSettings = { region: 'eu-1' }

let platform: Server
let address: string
let folder: string
/** Number of issued keys, and the lifetime of each in milliseconds. */
let given: number
let lifetimeMs: number
let asked: string[]

beforeEach(async () => {
  given = 0
  lifetimeMs = 3_600_000
  asked = []
  folder = mkdtempSync(join(tmpdir(), 'cairn-role-'))
  platform = createServer(async (request, reply) => {
    const { method, url = '', headers } = request
    const shown = headers.authorization ?? headers['x-aws-ec2-metadata-token'] ?? ''
    asked.push(`${method} ${url} ${shown} ${await text(request)}`)
    if (url.endsWith('/api/token'))
      return reply.setHeader('x-aws-ec2-metadata-token-ttl-seconds', '60').end('of-machine')
    if (url.endsWith('/security-credentials/')) return reply.end('the-role')
    if (url === '/none') return reply.writeHead(404).end()
    given += 1
    const keys = { AccessKeyId: `key${given}`, SecretAccessKey: 'secret', Token: `token${given}` }
    const Expiration = new Date(nowMs() + lifetimeMs).toISOString()
    if (method === 'GET') return reply.end(JSON.stringify({ Code: 'Success', ...keys, Expiration }))
    const { AccessKeyId, SecretAccessKey, Token } = keys
    const answer = `<Result><Credentials><AccessKeyId>${AccessKeyId}</AccessKeyId>
      <SecretAccessKey>${SecretAccessKey}</SecretAccessKey><SessionToken>${Token}</SessionToken>
      <Expiration>${Expiration}</Expiration></Credentials></Result>`.replaceAll(
      'Result',
      'AssumeRoleWithWebIdentityResult',
    )
    return reply.setHeader('content-type', 'text/xml').end(`<Response>${answer}</Response>`)
  })
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`
})
afterEach(async () => {
  delete process.env[METADATA_ENDPOINT]
  platform.closeAllConnections()
  await new Promise((resolve) => platform.close(resolve))
  rmSync(folder, { recursive: true })
})

const open = (role: RoleSettings, options = {}) =>
  openRoleAccess({ uri: `s3://${BUCKET}/k`, options }, role, { log, nowMs })

describe('credentials of a role', () => {
  it('are obtained with a token from a file', async () => {
    const tokenFile = join(folder, 'token')
    writeFileSync(tokenFile, 'a-token-of-the-platform')
    const access = await open({ ...settings, roleArn: 'arn:aws:iam::1:role/r', tokenFile, tokenService: address })
    access.stop()
    expect(access.root.options).toEqual({ accessKeyId: 'key1', secretAccessKey: 'secret', sessionToken: 'token1' })
    expect(asked[0]).toMatch(/RoleArn=arn.*RoleSessionName=cairn.*WebIdentityToken=a-token-of-the-platform/)
  })

  it('come from the container’s endpoint, with its token', async () => {
    const access = await open({ ...settings, containerUrl: `${address}/role`, containerToken: 'of-container' })
    access.stop()
    expect(access.root.options).toMatchObject({ accessKeyId: 'key1', sessionToken: 'token1' })
    expect(asked).toEqual(['GET /role of-container '])
  })

  it('come from the machine’s metadata, with a session token', async () => {
    process.env[METADATA_ENDPOINT] = address
    const access = await open(settings)
    access.stop()
    expect(access.root.options).toMatchObject({ accessKeyId: 'key1', sessionToken: 'token1' })
    expect(asked.at(-1)).toMatch(/security-credentials\/the-role of-machine/)
  })

  it('are missing if the platform provides none', async () => {
    await expect(open({ ...settings, containerUrl: `${address}/none` })).rejects.toThrow()
    await expect(open({ ...settings, roleArn: 'r', tokenFile: join(folder, 'absent') })).rejects.toThrow()
  })

  it('are renewed before they expire, and writes continue with the new ones', async () => {
    lifetimeMs = 2_000
    const store = await openObjectStore()
    store.accessKeyId = 'key1'
    const options = { endpoint: store.endpoint, allowHttp: 'true', region: 'eu-1' }
    const access = await open({ ...settings, containerUrl: `${address}/role` }, options)
    const stores = new LanceStores(access.root)
    access.onChange(() => {
      store.accessKeyId = String(access.root.options?.accessKeyId)
      stores.reconnect()
    })
    const sandbox = stores.open('usr_1', 'sbx_1')
    const record = (id: string) => ({
      ...{ id, live: true, sourceId: null, projectId: null, type: 'note', occurredAtMs: null },
      ...{ externalKey: 1, tie: 1, content: new Uint8Array([1]), analysis: new Uint8Array() },
    })
    const put = (head: typeof EMPTY_HEAD, id: string) =>
      sandbox.commit(head, { records: [record(id)], entities: [], links: [] })
    const first = await put(EMPTY_HEAD, 'one')
    lifetimeMs = 3_600_000
    await expect.poll(() => store.accessKeyId, SOON).toBe('key2')
    const second = await put(first, 'two')
    await sandbox.writeSegment('graph', 'piece', new Uint8Array([1]))
    expect(await sandbox.countRows(second)).toMatchObject({ records: 2 })
    expect(asked).toHaveLength(2)
    access.stop()
    stores.close()
    await store.close()
  })
})
