import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'

const HEAP_MIB = 1024
const BODIES = 80
const PIECE_BYTES = 256 * 1024
const WORDS = 3_000_000
const ADMIN_KEY = 'an-admin-key-of-the-tests'
const HOOK = '/api/v1/hooks/aaaaaaaaaaaaaaaaaaaaaa'

let folder: string
let child: Child
let address: string
const key = newApiKey()
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-bodies-'))
  const settings = { CAIRN_DATA: folder, CAIRN_BOOTSTRAP_API_KEY: key, CAIRN_ADMIN_KEY: ADMIN_KEY }
  child = startProgram([], settings, { heapMib: HEAP_MIB })
  address = await addressOf(child)
})
afterEach(async () => {
  child.process.kill('SIGKILL')
  await child.ended
  rmSync(folder, { recursive: true, force: true })
})

interface Sent {
  status: number
  retryAfter: string | undefined
}

/** Sends one body on a separate connection and resolves with the reply's status. */
function post(path: string, bytes: Buffer, bearer: string): Promise<Sent> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  return new Promise((resolve, reject) => {
    socket.setEncoding('latin1').once('error', reject).once('close', reject)
    socket.once('data', (answer: string) => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
      resolve({ status, retryAfter: /retry-after: (\d+)/.exec(answer)?.[1] })
      socket.destroy()
    })
    socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bearer}\r\n`)
    socket.write(`Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`)
    let at = 0
    const sendNext = () => {
      if (socket.destroyed || at >= bytes.length) return
      const piece = bytes.subarray(at, at + PIECE_BYTES)
      at += piece.length
      socket.write(piece, sendNext)
    }
    sendNext()
  })
}

async function json(method: string, path: string, bearer: string, body?: unknown) {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  const reply = await fetch(address + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return reply.json() as Promise<Record<string, string>>
}

/** Creates a source and returns its path for ingesting records. */
async function recordsOf(bearer: string): Promise<string> {
  const sandbox = await json('POST', '/api/v1/storage/sandboxes', bearer, { name: 'S', owner_id: 'o', tier: 'pro' })
  const storage = `/api/v1/storage/sandboxes/${sandbox.sandbox_id}`
  const source = await json('POST', `${storage}/sources`, bearer, { provider: 'slack', name: 'Chat' })
  return `${storage}/sources/${source.data_source_id}/records`
}

const record = { external_id: '1', type: 'note', text: 'word '.repeat(WORDS) }

it('bodies that would exceed the heap are accepted or rejected temporarily, of one account or many', async () => {
  const keys = [key]
  for (let at = 1; at < 8; at += 1) {
    keys.push((await json('POST', '/api/v1/admin/accounts', ADMIN_KEY, { display_name: `A${at}` })).key as string)
  }
  const paths = await Promise.all(keys.map(recordsOf))
  const body = Buffer.from(JSON.stringify({ records: [record] }))
  for (const [all, allKeys] of [
    [[paths[0]!], [keys[0]!]],
    [paths, keys],
  ] as const) {
    const answers = await Promise.all(
      Array.from({ length: BODIES }, (_, at) => post(all[at % all.length]!, body, allKeys[at % allKeys.length]!)),
    )
    expect(answers.some(({ status }) => status === 202)).toBe(true)
    for (const { status, retryAfter } of answers) {
      expect([202, 429, 503]).toContain(status)
      if (status !== 202) expect(Number(retryAfter)).toBeGreaterThan(0)
    }
  }
  expect(child.process.exitCode).toBeNull()
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
})

it('stalled bodies hold little memory, and when they end others are accepted', async () => {
  const path = await recordsOf(key)
  const length = 16 * 2 ** 20
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  const answers: string[] = []
  const slow = Array.from({ length: 60 }, () => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {})
    socket.setEncoding('latin1').once('data', (text: string) => answers.push(text))
    socket.write(`${head}Content-Length: ${length}\r\n\r\n${' '.repeat(2 ** 20)}`)
    return socket
  })
  // With this heap an account may have two concurrent bodies of 16 MiB.
  await expect.poll(() => answers.length).toBe(58)
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1/)
  for (const socket of slow) socket.destroy()
  const body = Buffer.from(JSON.stringify({ records: [record] }))
  await expect.poll(async () => (await post(path, body, key)).status).toBe(202)
})

it('deliveries to unknown addresses are read and discarded', async () => {
  const port = Number(new URL(address).port)
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  let answer = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text
  })
  socket.write(`POST ${HOOK} HTTP/1.1\r\nHost: a\r\nContent-Length: ${2 ** 20}\r\n\r\n${' '.repeat(2 ** 20)}`)
  await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
})
