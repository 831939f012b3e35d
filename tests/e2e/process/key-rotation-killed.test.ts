import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openSql, type Sql } from '../../../packages/server/src/db/open.ts'
import { clearLeases } from '../../../packages/server/src/store/lease.ts'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { everyRowOf } from '../../harness/canary.ts'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'
import { filesContaining } from '../../harness/disk.ts'
import { withKey } from '../../harness/keyed.ts'
import { newDatabase, RUN_ON, type TestDatabase } from '../../harness/postgres.ts'
import { type Call, newSandbox, TEST_ADMIN_KEY, TEST_MASTER_KEY, type TestSandbox } from '../../harness/test-app.ts'
import { openToolServer, type ToolServer } from '../../harness/tool-server.ts'

const RECORDS = 800
/** Points at which the process is killed, as fractions of the duration of a whole key rotation. */
const KILLED_AT = [0.1, 0.5, 0.9]
const SOON = { interval: 200 }
const WAIT = { prefer: 'wait=60' }

describe.each(RUN_ON)('a key change whose process is killed, on %s', (kind) => {
  const apiKey = newApiKey()
  let database: TestDatabase
  let folder: string
  let tools: ToolServer
  let child: Child | undefined
  let url = ''
  let userId = ''
  beforeAll(async () => {
    database = await newDatabase(kind)
    folder = mkdtempSync(join(tmpdir(), 'cairn-rotated-'))
    tools = await openToolServer()
  })
  afterEach(() => kill())
  afterAll(async () => {
    await tools?.close()
    database?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = async () => {
    const { target } = database
    if ('folder' in target && !existsSync(join(folder, 'sql')))
      cpSync(target.folder, join(folder, 'sql'), { recursive: true })
    // The lease of a dead process expires after a minute.
    await inDatabase((sql) => sql.transact({ worker: true }, clearLeases))
    child = startProgram([], {
      CAIRN_DATA: folder,
      CAIRN_ADMIN_KEY: TEST_ADMIN_KEY,
      CAIRN_MASTER_KEY: TEST_MASTER_KEY,
      CAIRN_BOOTSTRAP_API_KEY: apiKey,
      CAIRN_ALLOW_LOOPBACK: 'on',
      ...('url' in target && { DATABASE_URL: target.url }),
    })
    url = await addressOf(child)
    userId = (await call('GET', '/api/v1/users/me/profile')).body.user_id
  }
  const kill = async () => {
    child?.process.kill('SIGKILL')
    await child?.ended
    child = undefined
  }
  /** Accesses the server's database while the server is stopped. */
  const inDatabase = async <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
    const { target } = database
    const sql = await openSql('url' in target ? target : { folder: join(folder, 'sql') })
    try {
      return await work(sql)
    } finally {
      await sql.close()
    }
  }
  const call: Call = async (method, path, body, headers) => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.startsWith('application/json')
    return { status: reply.status, headers: Object.fromEntries(reply.headers), body: isJson ? JSON.parse(text) : text }
  }
  const rotate = (sandbox: TestSandbox, from: Buffer, to: Buffer) =>
    withKey(call, from)('POST', `${sandbox.storage}/rotate-key`, undefined, {
      'x-new-encryption-key': to.toString('base64'),
    })

  const fill = async (key: Buffer) => {
    const sandbox = await newSandbox(call, `Keyed ${key.toString('hex', 0, 4)}`)
    const keyed = withKey(call, key)
    const records = Array.from({ length: RECORDS }, (_, n) => ({
      external_id: `r${n}`,
      type: 'note',
      text: `Barge ${n} left the harbour with ${n * 7} crates.`,
      author: { name: `Skipper ${n % 40}`, identifiers: { login: `skipper${n % 40}` } },
    }))
    const { body: job } = await keyed('POST', sandbox.records, { records }, WAIT)
    expect(job).toMatchObject({ status: 'completed', result: { written: RECORDS } })
    // Gives evidence that two are the same, which stores a merge.
    const both = { name: 'Skipper 1', identifiers: { login: 'skipper1', email: 'one@example.org' } }
    const alias = { name: 'Captain One', identifiers: { email: 'one@example.org' } }
    const one = [alias, both].map((author, n) => ({ external_id: `m${n}`, type: 'note', text: 'One.', author }))
    for (const record of one) await keyed('POST', sandbox.records, { records: [record] }, WAIT)
    const server = { name: 'Tools', base_url: tools.url, auth_kind: 'bearer', token: 'zqktokenzq' }
    const { body: source } = await keyed('POST', `${sandbox.storage}/sources/user-mcp`, server)
    expect(source).toMatchObject({ status: 'active' })
    const settled = async () => (await keyed('GET', `${sandbox.storage}/entities?limit=1`)).body.resolution
    await expect.poll(settled, SOON).toBe('settled')
    return { sandbox, tools: `${sandbox.storage}/sources/${source.data_source_id}/user-mcp/test` }
  }
  /** Returns the sorted lines of a sandbox's export. */
  const exported = async (as: Call, { storage }: TestSandbox): Promise<string[]> => {
    const { status, body } = await as('GET', `${storage}/export`)
    expect(status, JSON.stringify(body)).toBe(200)
    return String(body).split('\n').filter(Boolean).sort()
  }
  /** Lance's version hint is the only file that legitimately has the same content. */
  const isOf = (id: string) => (path: string) => path.includes(id) && !path.endsWith('latest_version_hint.json')
  const filesOf = ({ id }: TestSandbox): string[] => {
    const all = readdirSync(join(folder, 'knowledge'), { recursive: true, withFileTypes: true })
    return all.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])).filter(isOf(id))
  }
  const digestsOf = (sandbox: TestSandbox) =>
    new Set(filesOf(sandbox).map((path) => createHash('sha256').update(readFileSync(path)).digest('hex')))

  /** Returns the ciphertexts in SQL that use the sandbox's key. Only while the server is stopped. */
  const sealedIn = async ({ id }: TestSandbox): Promise<string[]> => {
    const rows = (await inDatabase((sql) => everyRowOf(sql, userId))).split('\n').filter((row) => row.includes(id))
    return rows
      .map((row) => JSON.parse(row))
      .flatMap(({ evidence, vault_settled: isSecret, sealed: secret }) =>
        evidence?.sealed ? [evidence.sealed as string] : isSecret ? [secret as string] : [],
      )
  }

  /** Repeats the one call after any failure. It succeeds when all data uses only the second key. */
  const finish = async (sandbox: TestSandbox, from: Buffer, to: Buffer) => {
    const { status, body } = await rotate(sandbox, from, to)
    expect([status, body.success], JSON.stringify(body)).toEqual([200, true])
    expect(await withKey(call, from)('GET', `${sandbox.storage}/export`)).toMatchObject({
      status: 403,
      body: { reason: 'mismatch' },
    })
  }

  it('changed nothing or everything: repeating the call completes it, and nothing is lost or left', async () => {
    await start()
    let key = randomBytes(32)
    const { sandbox, tools: test } = await fill(key)
    let known = await exported(withKey(call, key), sandbox)
    const startedAt = performance.now()
    const first = randomBytes(32)
    await finish(sandbox, key, first)
    const wholeMs = performance.now() - startedAt
    key = first
    await kill()
    let sealed = await sealedIn(sandbox)
    expect(sealed.length).toBeGreaterThan(1)
    for (const [at, part] of KILLED_AT.entries()) {
      const before = digestsOf(sandbox)
      const next = randomBytes(32)
      await start()
      const more = { external_id: `late${at}`, type: 'note', text: `Barge ${at} came late.` }
      const late = withKey(call, key)('POST', sandbox.records, { records: [more] }).catch(() => undefined)
      const rotating = rotate(sandbox, key, next).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, wholeMs * part))
      await kill()
      await rotating
      const isTaken = (await late)?.status === 202
      await start()
      await finish(sandbox, key, next)

      const renewed = withKey(call, next)
      const hasLate = async () => (await exported(renewed, sandbox)).some((line) => line.includes(`"late${at}"`))
      if (isTaken) await expect.poll(hasLate, SOON).toBe(true)
      const now = await exported(renewed, sandbox)
      expect(known.filter((line) => !now.includes(line))).toEqual([])
      expect((await renewed('POST', test)).body).toMatchObject({ status: 'active', health_error: null })
      const found = await renewed('POST', `${sandbox.query}/discover`, { query: 'How many crates had barge 77?' })
      expect(JSON.stringify(found.body.items)).toContain('539 crates')
      await kill()
      const after = digestsOf(sandbox)
      expect([...before].filter((digest) => after.has(digest))).toEqual([])
      const sealedNow = await sealedIn(sandbox)
      expect(sealedNow.length).toBeGreaterThanOrEqual(sealed.length)
      expect(sealed.filter((one) => sealedNow.includes(one))).toEqual([])
      known = now
      key = next
      sealed = sealedNow
    }
  })

  it('leaves no file and no row of the old key if it died after the change and before the cleanup', async () => {
    await start()
    const [key, next] = [randomBytes(32), randomBytes(32)]
    const { sandbox } = await fill(key)
    const known = await exported(withKey(call, key), sandbox)
    await kill()
    const sealed = await sealedIn(sandbox)
    const before = filesOf(sandbox)
    for (const path of before) cpSync(path, join(folder, 'copy', relative(folder, path)))
    await start()
    await finish(sandbox, key, next)
    await kill()
    // Restores the state between the commit and the deletion of the files.
    cpSync(join(folder, 'copy', 'knowledge'), join(folder, 'knowledge'), { recursive: true })
    rmSync(join(folder, 'copy'), { recursive: true })
    await start()
    await finish(sandbox, key, next)
    expect(before.filter((path) => existsSync(path))).toEqual([])
    expect(await exported(withKey(call, next), sandbox)).toEqual(known)
    // The database's files contain deleted rows until they are rewritten.
    const held = () => sealed.flatMap((one) => filesContaining(join(folder, 'sql'), one))
    await expect.poll(held, { interval: 1_000 }).toEqual([])
  })
})
