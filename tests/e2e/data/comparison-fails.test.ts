import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords } from '../../harness/test-app.ts'

const SECONDS_MAX = 150_000

const mail = (id: string, name: string, email: string) => ({
  external_id: id,
  type: 'message',
  text: `The report of ${id}.`,
  author: { name, identifiers: { email } },
})

onEachApp((app) => {
  /** Returns the folders with the datasets of a sandbox. */
  const foldersOf = (sandboxId: string): string[] =>
    readdirSync(app().folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name === sandboxId)
      .map((entry) => join(entry.parentPath, entry.name))

  const counted = async (): Promise<number> => {
    const { body } = await app().anonymous('GET', '/metrics')
    return Number(/cairn_failed_comparisons_total\{outcome="sandbox"\} (\d+)/.exec(String(body))?.[1])
  }

  it(
    'a failed comparison is reported and counted, and retried until it succeeds',
    async () => {
      const { call } = await app().newAccount()
      const sandbox = await newSandbox(call)
      const resolution = async () => (await call('GET', `${sandbox.storage}/entities?limit=1`)).body.resolution
      const before = await counted()
      await putRecords(call, sandbox, [
        mail('m1', 'Tuuli Quiroga', 'tuuli@corvid.io'),
        mail('m2', 'Tuuli Quiroga', 't.quiroga@gmail.com'),
      ])
      expect(await resolution()).toBe('pending')
      const folders = foldersOf(sandbox.id)
      expect(folders.length).toBeGreaterThan(0)
      for (const folder of folders) renameSync(folder, `${folder}.away`)
      try {
        await expect.poll(resolution).toBe('failed')
      } finally {
        for (const folder of folders) renameSync(`${folder}.away`, folder)
      }
      expect(await counted()).toBeGreaterThan(before)
      await expect.poll(resolution).toBe('settled')
      const { body } = await call('GET', `${sandbox.storage}/entities?type=person`)
      expect(body.entities).toMatchObject([{ name: 'Tuuli Quiroga', record_count: 2 }])
    },
    SECONDS_MAX,
  )
})
