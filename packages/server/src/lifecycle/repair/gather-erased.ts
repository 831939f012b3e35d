import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../config/config-error.ts'
import type { Planes } from '../../store/planes.ts'
import { type Erased, parseErased, toErased } from '../erasure/erased-list.ts'

/** An erasure, and whether the database knows of it. */
export interface KnownErased extends Erased {
  isKnown: boolean
}

/** What was erased, by sandbox. */
export type ErasedBySandbox = ReadonlyMap<string, readonly KnownErased[]>

const ROWS_PER_READ = 1_000

/** By what the erasures of a sandbox are found. */
export function sandboxKey({ user_id: userId, sandbox_id: sandboxId }: Pick<Erased, 'user_id' | 'sandbox_id'>): string {
  return `${userId}\n${sandboxId}`
}

/**
 * Everything that was erased as far as anybody knows: what the database lists, the notes in the storage, and a list
 * from elsewhere, which is a file of such notes, one a line, or a folder of them. Throws ConfigError for a list that is
 * none.
 */
export async function gatherErased(planes: Planes, listPath: string | undefined): Promise<ErasedBySandbox> {
  const all = new Map<string, KnownErased>()
  const add = (entry: Erased, isKnown: boolean) => {
    const key = `${entry.user_id}\n${entry.id}`
    if (!all.has(key)) all.set(key, { ...entry, isKnown })
  }
  for await (const entry of listed(planes)) add(entry, true)
  for await (const note of planes.knowledge.notes.readNotes()) {
    const entry = parseErased(Buffer.from(note).toString('utf8'))
    if (entry) add(entry, false)
    else planes.log.warn('a note of the list of what was erased is none', {})
  }
  if (listPath !== undefined) for (const entry of await readList(listPath)) add(entry, false)
  const bySandbox = new Map<string, KnownErased[]>()
  for (const entry of all.values()) {
    const key = sandboxKey(entry)
    const others = bySandbox.get(key)
    if (others) others.push(entry)
    else bySandbox.set(key, [entry])
  }
  return bySandbox
}

async function* listed({ sql: control }: Planes): AsyncGenerator<Erased> {
  let after = { user: '', id: '' }
  for (;;) {
    const rows = await control.transact({ worker: true }, (tx) =>
      tx
        .selectFrom('erased')
        .selectAll()
        .where((is) => is(is.refTuple('user_id', 'id'), '>', is.tuple(after.user, after.id)))
        .orderBy('user_id')
        .orderBy('id')
        .limit(ROWS_PER_READ)
        .execute(),
    )
    for (const row of rows) yield toErased(row)
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_READ) return
    after = { user: last.user_id, id: last.id }
  }
}

async function readList(path: string): Promise<Erased[]> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new ConfigError(`There is no list of erasures at ${path}.`)
  const files = found.isDirectory() ? (await readdir(path)).filter((name) => name.endsWith('.json')) : ['']
  const entries: Erased[] = []
  for (const file of files) {
    const lines = (await readFile(join(path, file), 'utf8')).split('\n').filter((line) => line.trim() !== '')
    for (const line of lines) {
      const entry = parseErased(line)
      if (!entry) throw new ConfigError(`${join(path, file)} holds what is no erasure. Take that out of it.`)
      entries.push(entry)
    }
  }
  return entries
}
