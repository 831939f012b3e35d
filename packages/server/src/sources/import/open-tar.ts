import { Parser, type ReadEntry } from 'tar'
import { Fault } from '../../base/fault.ts'
import type { ExportFile } from '../connectors/export-reader.ts'
import { type Archive, assertInside, isContent, tallyOf } from './archive.ts'
import type { Spool } from './spool.ts'

/** Kinds of entries that hold what somebody wrote; links and devices do not. */
const FILES: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile'])

/** A tar, read once for its names. Throws `unreadable_archive`, `unsafe_path` and `archive_too_large`. */
export async function openTar(spool: Spool): Promise<Archive> {
  const tally = tallyOf(spool.bytes)
  const names: string[] = []
  for await (const entry of entriesOf(spool)) {
    tally(entry.size)
    assertInside(entry.path)
    if (isFile(entry)) names.push(entry.path)
    entry.resume()
  }
  return {
    names,
    files: async function* (isWanted) {
      for await (const entry of entriesOf(spool)) {
        if (isFile(entry) && isWanted(entry.path)) yield fileOf(entry)
        entry.resume()
      }
    },
  }
}

function isFile(entry: ReadEntry): boolean {
  return FILES.has(entry.type) && isContent(entry.path)
}

function fileOf(entry: ReadEntry): ExportFile {
  return { name: entry.path, bytes: entry.size, open: () => contentOf(entry) }
}

async function* contentOf(entry: ReadEntry): AsyncGenerator<Uint8Array> {
  for await (const chunk of entry) yield chunk
}

/** Entries as they come; the next one comes when the one before is read or passed over. */
async function* entriesOf(spool: Spool): AsyncGenerator<ReadEntry> {
  const waiting: ReadEntry[] = []
  let isOver = false
  let failure: unknown
  let wake: () => void = () => undefined
  const told = () => wake()
  const take = (entry: ReadEntry) => {
    waiting.push(entry)
    told()
  }
  const parser = new Parser({ strict: true, onReadEntry: (entry) => take(entry) })
  const source = spool.read()
  const end = (cause?: unknown) => {
    failure ??= cause
    isOver = true
    told()
  }
  parser.on('end', () => end()).on('error', end)
  source.on('error', end)
  source.pipe(parser as unknown as NodeJS.WritableStream)
  try {
    while (true) {
      const entry = waiting.shift()
      if (entry) yield entry
      else if (failure !== undefined) throw new Fault('unreadable_archive', { cause: failure })
      else if (isOver) return
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    source.destroy()
  }
}
