import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'
import type { Answer } from '../../harness/test-app.ts'

const MASTER_KEY = Buffer.alloc(32, 'repair').toString('base64')

const key = newApiKey()
const root = mkdtempSync(join(tmpdir(), 'cairn-repair-'))
const [before, now] = ['before', 'now'].map((name) => join(root, name)) as [string, string]
let child: Child | undefined

/** Ids of the stored objects. */
const ids = { kept: '', erased: '', keptSource: '', purgedSource: '' }
const records = (sandbox: string, source: string) => `/api/v1/storage/sandboxes/${sandbox}/sources/${source}/records`

beforeAll(async () => {
  const first = await serve(before)
  for (const name of ['kept', 'erased'] as const) {
    const made = await first.call('POST', '/api/v1/storage/sandboxes', { name, owner_id: 'o', tier: 'pro' })
    ids[name] = made.sandbox_id
  }
  for (const name of ['keptSource', 'purgedSource'] as const) {
    const path = `/api/v1/storage/sandboxes/${ids.kept}/sources`
    ids[name] = (await first.call('POST', path, { provider: 'generic', name })).data_source_id
  }
  await put(first, ids.kept, ids.keptSource, { early: 'Early words of Ada Byron.', secret: 'A secret about zebras.' })
  await put(first, ids.kept, ids.purgedSource, { purged: 'Purged words about walruses.' })
  const other = `/api/v1/storage/sandboxes/${ids.erased}/sources`
  const source = (await first.call('POST', other, { provider: 'generic', name: 'Other' })).data_source_id
  await put(first, ids.erased, source, { other: 'Words of a sandbox that is erased.' })
  await first.stop()
  cpSync(before, now, { recursive: true })
  const second = await serve(now)
  await put(second, ids.kept, ids.keptSource, { late: 'Late words of Ada Byron.' })
  await put(second, ids.kept, ids.keptSource, { early: 'Early words, put right.' })
  const found = await second.call('POST', `/api/v1/query/sandboxes/${ids.kept}/discover`, { query: 'zebras' })
  await second.call('DELETE', `/api/v1/storage/sandboxes/${ids.kept}/records/${found.items[0].record_id}`)
  await second.call('POST', `/api/v1/storage/sandboxes/${ids.kept}/sources/${ids.purgedSource}/purge`, {
    delete_source: true,
  })
  await second.call('DELETE', `/api/v1/storage/sandboxes/${ids.erased}`)
  await until(() => readdirSync(join(now, 'knowledge', 'erased.list')).length === 3)
  await second.stop()
})
afterEach(async () => {
  child?.process.kill('SIGKILL')
  await child?.ended
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const settings = (folder: string) => ({
  CAIRN_DATA: folder,
  CAIRN_BOOTSTRAP_API_KEY: key,
  CAIRN_MASTER_KEY: MASTER_KEY,
  CAIRN_ENCODER: 'off',
  CAIRN_EXAMPLE: 'off',
})

async function serve(folder: string) {
  const started = startProgram([], settings(folder))
  child = started
  const address = await addressOf(started)
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${key}`, prefer: 'wait=60', 'content-type': 'application/json' }
    return fetch(address + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  }
  const call = async (method: string, path: string, body: unknown = {}) => {
    const reply = await ask(method, path, method === 'GET' ? undefined : body)
    const text = await reply.text()
    expect(reply.ok, `${method} ${path}: ${reply.status} ${text}`).toBe(true)
    return (text === '' ? undefined : JSON.parse(text)) as Answer['body']
  }
  const stop = async () => {
    started.process.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  }
  return { ask, call, stop }
}

type Served = Awaited<ReturnType<typeof serve>>

async function put({ call }: Served, sandbox: string, source: string, texts: Record<string, string>): Promise<void> {
  const list = Object.entries(texts).map(([id, text]) => ({ external_id: id, type: 'note', text }))
  const job = await call('POST', records(sandbox, source), { records: list })
  expect(job).toMatchObject({ status: 'completed', result: { failed: 0 } })
}

/** Returns the texts of a sandbox by external id. */
async function stored({ ask }: Served, sandbox: string): Promise<Record<string, string>> {
  const reply = await ask('GET', `/api/v1/storage/sandboxes/${sandbox}/export`)
  const lines = (await reply.text()).split('\n').filter((line) => line.includes('"external_id"'))
  return Object.fromEntries(lines.map((line) => JSON.parse(line)).map((each) => [each.external_id, each.text]))
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    expect(tries).toBeLessThan(600)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Creates a data folder with the database of one time and the storage of another. */
function mixed(name: string, database: string, storage: string): string {
  const folder = join(root, name)
  cpSync(database, folder, { recursive: true })
  rmSync(join(folder, 'knowledge'), { recursive: true })
  cpSync(join(storage, 'knowledge'), join(folder, 'knowledge'), { recursive: true })
  return folder
}

async function repair(folder: string, ...args: string[]): Promise<{ code: unknown; printed: string }> {
  const command = startProgram(['repair', ...args], settings(folder))
  return { code: await command.ended, printed: command.printed() }
}

const LATER = { early: 'Early words, put right.', late: 'Late words of Ada Byron.' }

it('a database older than its storage is brought to the newest state, without erased content', async () => {
  const folder = mixed('old-database', before, now)
  const result = await repair(folder)
  expect(result.printed).toMatch(/the storage is \d+ commits newer/)
  expect(result.printed).toMatch(/is in this database again/)
  expect(result.printed).toMatch(/Nothing was changed/)
  const done = await repair(folder, '--apply')
  expect(done).toMatchObject({ code: 0 })
  expect(done.printed).toMatch(/0 sound, 1 adopted, 1 erased again, 0 still broken/)
  expect((await repair(folder)).printed).toMatch(/1 sound, 0 adopted, 0 erased again, 0 still broken/)
  const served = await serve(folder)
  expect(await stored(served, ids.kept)).toEqual(LATER)
  expect((await served.ask('GET', `/api/v1/storage/sandboxes/${ids.erased}`)).status).toBe(404)
  const sources = await served.call('GET', `/api/v1/storage/sandboxes/${ids.kept}/sources`)
  expect(JSON.stringify(sources)).not.toContain(ids.purgedSource)
  // A record that was deleted manually stays deleted when it is sent again.
  await put(served, ids.kept, ids.keptSource, { secret: 'A secret about zebras.', new: 'Words after the repair.' })
  expect(await stored(served, ids.kept)).toEqual({ ...LATER, new: 'Words after the repair.' })
  const found = await served.call('POST', `/api/v1/query/sandboxes/${ids.kept}/discover`, { query: 'Ada Byron' })
  expect(found.count).toBe(1)
})

it('a storage older than its database is served as far as it goes, without erased content', async () => {
  const folder = mixed('old-storage', now, before)
  const done = await repair(folder, '--apply')
  expect(done).toMatchObject({ code: 0 })
  expect(done.printed).toMatch(/the storage is \d+ commits older/)
  expect(done.printed).toMatch(/2 erased records are stored again; they are erased/)
  expect(done.printed).toMatch(/1 adopted, 1 erased again/)
  const folders = readdirSync(join(folder, 'knowledge'), { recursive: true, encoding: 'utf8' })
  expect(folders.filter((path) => path.includes(ids.erased))).toEqual([])
  const served = await serve(folder)
  expect(await stored(served, ids.kept)).toEqual({ early: 'Early words of Ada Byron.' })
  await put(served, ids.kept, ids.keptSource, { late: 'Late words of Ada Byron.' })
  expect(Object.keys(await stored(served, ids.kept)).sort()).toEqual(['early', 'late'])
})

it('a list of erasures kept elsewhere is applied to an earlier backup', async () => {
  const folder = mixed('both-old', before, before)
  const done = await repair(folder, '--apply', '--erased', join(now, 'knowledge', 'erased.list'))
  expect(done).toMatchObject({ code: 0 })
  const served = await serve(folder)
  expect(await stored(served, ids.kept)).toEqual({ early: 'Early words of Ada Byron.' })
  expect((await served.ask('GET', `/api/v1/storage/sandboxes/${ids.erased}`)).status).toBe(404)
  await put(served, ids.kept, ids.keptSource, { secret: 'A secret about zebras.' })
  expect(Object.keys(await stored(served, ids.kept))).toEqual(['early'])
})

it('a record of an unknown sandbox is reported, and the rest is repaired', async () => {
  const folder = mixed('odd-notes', before, now)
  const list = join(folder, 'knowledge', 'erased.list')
  mkdirSync(join(folder, 'precious'))
  const note = JSON.parse(readFileSync(join(list, readdirSync(list)[0]!), 'utf8'))
  const whole = { ...note, source_id: null, record_id: null, mark: null, up_to_seq: null }
  for (const [at, sandbox] of ['../../precious', '..', 'sbx\0'].entries()) {
    writeFileSync(join(list, `odd${at}.json`), JSON.stringify({ ...whole, id: `odd${at}`, sandbox_id: sandbox }))
  }
  mkdirSync(join(list, 'folder.json'))
  const refused = await repair(folder, '--erased', list)
  expect(refused.printed).toMatch(/folder\.json cannot be read \(EISDIR\)/)
  const done = await repair(folder, '--apply')
  expect(done.printed).toMatch(/an entry in the list of erasures is invalid/)
  expect(done.printed).toMatch(/could not be checked/)
  expect(done.printed).toMatch(/0 sound, 1 adopted, 1 erased again, 3 still broken/)
  expect(done.code).toBe(1)
  expect(existsSync(join(folder, 'precious'))).toBe(true)
  expect(await stored(await serve(folder), ids.kept)).toEqual(LATER)
})

it('a sandbox with a missing file is left unchanged, and this is reported', async () => {
  const folder = mixed('torn', now, now)
  expect((await repair(folder)).printed).toMatch(/1 sound/)
  const data = newestRecords(join(folder, 'knowledge'))
  const newest = readdirSync(data)
    .map((name) => join(data, name))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)
  rmSync(newest[0]!)
  const result = await repair(folder, '--apply')
  expect(result.printed).toMatch(/cannot be read completely/)
  // The purge rewrote all records into one file, so no older version is complete.
  expect(result.printed).toMatch(/no complete state is stored; unchanged/)
  expect(result.code).toBe(1)
})

it('an unreadable newest version hides no earlier one, from which service continues', async () => {
  const folder = mixed('unreadable', before, before)
  const paths = readdirSync(join(folder, 'knowledge'), { recursive: true, encoding: 'utf8' })
  const versions = join(
    folder,
    'knowledge',
    paths.find((path) => path.endsWith(`${ids.kept}/records.lance/_versions`))!,
  )
  const manifest = join(versions, readdirSync(versions).sort()[0]!)
  const bytes = readFileSync(manifest)
  // Only the end of the file is unchanged, so it does not look truncated.
  writeFileSync(manifest, bytes.fill(9, 0, bytes.length - 16))
  const result = await repair(folder)
  expect(result.printed).toMatch(/records: version \d+ cannot be opened and is skipped/)
  expect(result.printed).toMatch(/the storage is 1 commits older/)
  expect(existsSync(manifest)).toBe(true)
  expect((await repair(folder, '--apply')).printed).toMatch(/1 adopted/)
  expect(existsSync(manifest)).toBe(false)
  const served = await serve(folder)
  const { early } = await stored(served, ids.kept)
  expect(early).toBe('Early words of Ada Byron.')
  await put(served, ids.kept, ids.keptSource, { late: 'Late words of Ada Byron.' })
  expect(Object.keys(await stored(served, ids.kept))).toContain('late')
})

function newestRecords(knowledge: string): string {
  const paths = readdirSync(knowledge, { recursive: true, encoding: 'utf8' })
  const found = paths.filter((path) => /records(-\d+)?\.lance\/data$/.test(path)).sort()
  return join(knowledge, found.at(-1)!)
}
