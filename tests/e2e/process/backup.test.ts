import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'
import { newDatabase, type TestDatabase } from '../../harness/postgres.ts'
import type { Answer } from '../../harness/test-app.ts'

const RUN_MS_MAX = 240_000
const QUESTION = { query: 'What caused the duplicate invoices in June?', reference_date: '2026-07-31' }
const RECORDS = fileURLToPath(new URL('../../../examples/workspace/tracker.ndjson', import.meta.url))

const key = newApiKey()
let database: TestDatabase
let folder: string
let place: string
let child: Child | undefined
beforeAll(async () => {
  database = await newDatabase('pglite')
  folder = dirname((database.target as { folder: string }).folder)
  place = `${folder}-kept`
  // The copied database is empty, so the key it was created with does not matter.
  rmSync(join(folder, 'sql'), { recursive: true })
})
afterEach(async () => {
  child?.process.kill('SIGKILL')
  await child?.ended
})
afterAll(() => {
  database?.remove()
  for (const path of [place, `${place}.backup`, `${place}-keyless`]) rmSync(path, { recursive: true, force: true })
})

async function serve(from: string, settings: Record<string, string> = {}) {
  const started = startProgram([], { CAIRN_DATA: from, CAIRN_BOOTSTRAP_API_KEY: key, ...settings })
  child = started
  const address = await addressOf(started)
  const call = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    const reply = await fetch(address + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        prefer: 'wait=60',
        ...(body !== undefined && { 'content-type': type }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    expect(reply.ok, `${method} ${path}: ${reply.status}`).toBe(true)
    return (await reply.json()) as Answer['body']
  }
  const stop = async () => {
    started.process.kill('SIGTERM')
    expect(await started.ended).toBe(0)
  }
  return { call, stop }
}

async function run(args: string[], from: string): Promise<{ code: unknown; printed: string }> {
  const command = startProgram(args, { CAIRN_DATA: from })
  return { code: await command.ended, printed: command.printed() }
}

it('a restored folder gives the same answers with the same key', async () => {
  const before = await serve(folder)
  const sandbox = await before.call('POST', '/api/v1/storage/sandboxes', { name: 'Kept', owner_id: 'o', tier: 'pro' })
  const storage = `/api/v1/storage/sandboxes/${sandbox.sandbox_id}`
  const source = await before.call('POST', `${storage}/sources`, { provider: 'linear', name: 'Tracker' })
  const path = `${storage}/sources/${source.data_source_id}/records`
  const job = await before.call('POST', path, readFileSync(RECORDS, 'utf8'), 'application/x-ndjson')
  expect(job).toMatchObject({ status: 'completed', result: { failed: 0 } })
  const query = `/api/v1/query/sandboxes/${sandbox.sandbox_id}`
  const ask = async ({ call }: typeof before) => {
    const found = await call('POST', `${query}/discover`, QUESTION)
    const items = found.items.map((item: { canonical_ids: string[] }) => item.canonical_ids)
    return { found, answer: await call('POST', `${query}/interpret`, { ...QUESTION, items, store: false }) }
  }
  const asked = await ask(before)
  expect(asked.answer.citations.length).toBeGreaterThan(0)

  const running = await run(['backup', `${place}.backup`], folder)
  expect(running).toMatchObject({ code: 1, printed: expect.stringMatching(/Another Cairn process is using/) })
  await before.stop()
  const backup = await run(['backup', `${place}.backup`], folder)
  expect(backup).toMatchObject({ code: 0, printed: expect.stringMatching(/master key is not in it/) })

  const restored = await run(['restore', `${place}.backup`], place)
  expect(restored).toMatchObject({ code: 0, printed: expect.stringMatching(/contains no master key/) })
  const keyless = await run([], place)
  expect(keyless).toMatchObject({ code: 1, printed: expect.stringMatching(/master\.key is missing/) })
  const masterKey = readFileSync(join(folder, 'master.key'), 'utf8').trim()
  const after = await serve(place, { CAIRN_MASTER_KEY: masterKey })
  expect(await ask(after)).toEqual(asked)
  await after.stop()
  expect(existsSync(`${place}.backup`)).toBe(true)
})

it(
  'an invalid command prints its usage, and an invalid data folder is not changed',
  async () => {
    for (const args of [
      ['bakcup', 'x'],
      ['backup'],
      ['backup', 'a', 'b'],
      ['restore', 'x', '--with-keys'],
      ['backup', '--x'],
    ]) {
      expect(await run(args, place)).toMatchObject({ code: 2, printed: expect.stringContaining('cairn backup FILE') })
    }
    const nowhere = `${place}-nowhere`
    expect(await run(['backup', `${place}.other`], nowhere)).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/is not a data folder/),
    })
    expect([existsSync(nowhere), existsSync(`${place}.other`)]).toEqual([false, false])
  },
  RUN_MS_MAX,
)
