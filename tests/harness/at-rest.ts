import { expect } from 'vitest'
import { everyRowOf } from './canary.ts'
import { filesContaining } from './disk.ts'
import type { TestDatabase } from './postgres.ts'
import type { TestApp } from './test-app.ts'

/** A test app with everything that it stores on disk, in its database and in its log. */
export interface AtRest {
  app: Pick<TestApp, 'cairn' | 'logged'>
  /** Data folder. */
  folder: string
  /** Database, if its files can be searched too. */
  database?: TestDatabase | undefined
  userId: string
}

/**
 * Returns the places where a text is stored unencrypted: as it is, as hexadecimal digits or as base64, in any case of
 * letters.
 */
export async function locationsOf({ app, folder, database, userId }: AtRest, text: string): Promise<string[]> {
  const bytes = Buffer.from(text)
  const hex = bytes.toString('hex')
  const rows = (await everyRowOf(app.cairn.app.sql, userId)).split('\n')
  const target = database?.target
  return [
    ...rows.filter((row) => row.toLowerCase().includes(text) || row.includes(hex) || hasBase64(row, bytes)),
    ...(target && 'folder' in target ? filesContaining(target.folder, text) : []),
    ...filesContaining(folder, text),
    ...app.logged.filter((line) => line.includes(text)),
  ]
}

/** Fails if any of the words is stored anywhere. The words are in lower case. */
export async function assertNowhere(rest: AtRest, words: readonly string[]): Promise<void> {
  // Moves rows that are only in the write-ahead log to the table files.
  await rest.app.cairn.app.sql.scrub()
  for (const text of words) expect(await locationsOf(rest, text), text).toEqual([])
}

/**
 * Returns true if the row contains the text as base64. The encoding differs at each of three byte offsets, and its
 * first and last digits depend on adjacent bytes.
 */
function hasBase64(row: string, bytes: Buffer): boolean {
  return [0, 1, 2].some((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    return row.includes(encoded.slice(offset === 0 ? 0 : offset + 1, -1))
  })
}
