import { expect } from 'vitest'
import { everyRowOf } from './canary.ts'
import { filesHolding } from './disk.ts'
import type { TestDatabase } from './postgres.ts'
import type { TestApp } from './test-app.ts'

/** Everything that an app of a test has on disk, in its database and in its log. */
export interface AtRest {
  app: Pick<TestApp, 'cairn' | 'logged'>
  /** Its data folder. */
  folder: string
  /** Where its database is, when its files can be read too. */
  database?: TestDatabase | undefined
  userId: string
}

/** Where the text stands in it as it is, as hexadecimal digits or as base64, in any case of letters. */
export async function placesOf({ app, folder, database, userId }: AtRest, text: string): Promise<string[]> {
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  const rows = (await everyRowOf(app.cairn.app.sql, userId)).split('\n')
  const target = database?.target
  return [
    ...rows.filter((row) => row.toLowerCase().includes(text) || row.includes(hex) || hasBase64(row, bytes)),
    ...(target && 'folder' in target ? filesHolding(target.folder, text) : []),
    ...filesHolding(folder, text),
    ...app.logged.filter((line) => line.includes(text)),
  ]
}

/** Fails unless none of the words, which are in lower case, is anywhere. */
export async function assertNowhere(rest: AtRest, words: readonly string[]): Promise<void> {
  // Brings rows that are in the log alone to the tables' files.
  await rest.app.cairn.app.sql.scrub()
  for (const text of words) expect(await placesOf(rest, text), text).toEqual([])
}

/** Base64 of a text has another form at each of three offsets; its ends depend on what stands beside it. */
function hasBase64(row: string, bytes: Buffer): boolean {
  return [0, 1, 2].some((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return row.includes(encoded.slice(offset === 0 ? 0 : offset + 1, -1))
  })
}
