import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords, type TestAccount, type TestApp } from '../../harness/test-app.ts'

/** More records than one batch holds. */
const RECORDS = 1_400
/**
 * Idle time after which compaction runs, in milliseconds. It always runs after a bulk load, and possibly after a single
 * record.
 */
const REST_MS = 9_000
/** Maximum bytes written for one record, its entities and links, and the version manifests. */
const BYTES_OF_RECORD_MAX = 40_000

onEachApp((app) => {
  const note = (name: string, text: string) => ({ external_id: name, type: 'note', text })

  it('one record into an idle sandbox rewrites no dataset', async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    const text = (at: number) => `Berth ${at} of Harbour was painted ${'again and '.repeat(20)} again.`
    const many = Array.from({ length: RECORDS }, (_, at) => note(`note_${at}`, text(at)))
    await putRecords(account.call, sandbox, many)
    await sleep(REST_MS)
    const before = filesOf(app(), sandbox.id)
    await putRecords(account.call, sandbox, [note('note_7', 'Berth 7 of Harbour is closed.')])
    await sleep(REST_MS)
    const after = filesOf(app(), sandbox.id)
    const written = [...after].filter(([path]) => !before.has(path)).reduce((sum, [, bytes]) => sum + bytes, 0)
    expect([...before.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(3 * BYTES_OF_RECORD_MAX)
    expect(written).toBeLessThan(BYTES_OF_RECORD_MAX)
    const { body } = await account.call('POST', `${sandbox.query}/discover`, { query: 'Is berth 7 closed?' })
    expect(JSON.stringify(body)).toContain('Berth 7 of Harbour is closed.')
  })

  it('no commit in another sandbox waits for a compaction', async () => {
    const account = await app().newAccount()
    const [busy, neighbour] = [await newSandbox(account.call, 'Busy'), await newSandbox(account.call, 'Neighbour')]
    const compaction = hangCompaction(app(), account, busy.id)
    const many = Array.from({ length: RECORDS }, (_, at) => note(`note_${at}`, `Berth ${at} was painted.`))
    await putRecords(account.call, busy, many)
    await compaction.reached
    try {
      // Compaction continues only afterwards, so a commit that waited for it would never end.
      await putRecords(account.call, neighbour, [note('other', 'A neighbour writes.')])
    } finally {
      compaction.goOn()
    }
    await putRecords(account.call, busy, [note('after', 'Berth 1 was painted once more.')])
  })
})

/** Returns the files of the sandbox's datasets with their sizes. */
function filesOf(app: TestApp, sandboxId: string): Map<string, number> {
  const root = join(app.folder, 'knowledge')
  return new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath.includes(sandboxId))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, statSync(path).size]),
  )
}

/** Delays the first compaction of the sandbox until `goOn`. */
function hangCompaction(app: TestApp, account: TestAccount, sandboxId: string) {
  const { knowledge } = app.cairn.app
  const open = knowledge.store.bind(knowledge)
  let goOn = () => {}
  let access = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const reached = new Promise<void>((resolve) => {
    access = resolve
  })
  knowledge.store = async (place) => {
    const store = await open(place)
    if (place.userId !== account.userId || place.sandboxId !== sandboxId) return store
    return {
      ...store,
      compact: async (head, options) => {
        access()
        await held
        return store.compact(head, options)
      },
    }
  }
  return { reached, goOn: () => goOn() }
}
