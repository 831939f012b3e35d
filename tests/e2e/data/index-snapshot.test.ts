import { readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { callOver, openSender, startProcess } from '../../harness/real-process.ts'
import { type Call, newSandbox } from '../../harness/test-app.ts'

/** Number of records; smaller graphs have no index snapshot. */
const MANY = 2_500
const SOON = { interval: 500 }

const notes = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    external_id: `n${from + at}`,
    type: 'note',
    text: `Crate ${from + at} with ${(from + at) * 7} valves for dock ${at % 97} left the harbor at noon.`,
    author: { type: 'person', name: `Ada Quist ${at % 11}`, identifiers: { login: `ada${at % 11}` } },
  }))

it('an idle graph is stored as an index snapshot, which the next process uses but does not require', async () => {
  const start = async (before?: { folder: string; apiKey: string }) => {
    const cairn = await startProcess({ CAIRN_ENCODER: 'off' }, before)
    const { send, close } = openSender(cairn, 4)
    const end = async () => {
      close()
      await cairn.stop({ keep: true })
    }
    return { cairn: cairn as typeof cairn & { folder: string }, call: callOver(send) as Call, end }
  }
  const first = await start()
  const { folder } = first.cairn
  const pieces = () =>
    readdirSync(join(folder, 'knowledge'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && entry.parentPath.endsWith('/graph') ? [join(entry.parentPath, entry.name)] : [],
    )
  const sandbox = await newSandbox(first.call, 'Kept')
  const put = async (call: Call, list: unknown[]) => {
    const { body } = await call('POST', sandbox.records, { records: list }, { prefer: 'wait=60' })
    expect(body.result).toMatchObject({ failed: 0 })
  }
  const answers = async (call: Call) => {
    const asked = ['Which crate has 700 valves?', 'What left for dock 12?', 'What does Ada Quist 3 say?']
    const found = await Promise.all(asked.map((query) => call('POST', `${sandbox.query}/discover`, { query })))
    return found.map(({ body }) => body.items)
  }
  for (let from = 0; from < MANY; from += 500) await put(first.call, notes(from, 500))
  expect(pieces()).toEqual([])
  await expect.poll(() => pieces().length, SOON).toBeGreaterThan(1)
  await put(first.call, notes(MANY, 20))
  const expected = await answers(first.call)
  expect(expected.every((items) => items.length > 0)).toBe(true)
  await first.end()

  const second = await start(first.cairn)
  expect(await answers(second.call)).toEqual(expected)
  await second.end()
  const image = pieces()
  truncateSync(image.find((path) => path.endsWith('-0'))!, 100)
  const third = await start(first.cairn)
  expect(await answers(third.call)).toEqual(expected)
  // A rebuilt graph replaces the unreadable snapshot.
  await expect.poll(() => pieces().some((path) => image.includes(path)), SOON).toBe(false)
  expect(pieces().length).toBeGreaterThan(1)
  await third.end()

  for (const path of pieces()) rmSync(path)
  const fourth = await start(first.cairn)
  expect(await answers(fourth.call)).toEqual(expected)
  await expect.poll(() => pieces().length, SOON).toBeGreaterThan(1)
  const { status } = await fourth.call('DELETE', sandbox.storage)
  expect(status).toBe(200)
  expect(pieces()).toEqual([])
  await fourth.end()
  rmSync(folder, { recursive: true, force: true })
})
