import { setImmediate } from 'node:timers/promises'
import type { Accepted, Job, RecordInput } from '@cairnstore/contract'
import { decodeContent, recordKey, type StoredContent } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import { createYieldPoint } from '../../base/yield-point.ts'
import type { ReceivedLine } from '../../ingest/received-line.ts'
import type { ReceivingSource } from '../../ingest/receiving-source.ts'
import { openGround } from '../../store/ground.ts'
import type { Reply } from '../../tenancy/handler.ts'
import { Reach } from '../../tenancy/reach/reach.ts'
import type { ExportItem } from '../connectors/export-reader.ts'
import { type Target, take, toLine } from './target.ts'

/** Records that are read at once, and ids that are listed at once: each list goes over all that there are. */
const ROWS_AT_ONCE = 500
const LISTED_AT_ONCE = 10_000
/** Looking through what was brought lets other work in after so long. */
const SLICE_MS = 5
/** What is in such a file now is nothing; any other that is not read may still hold what it held. */
const EMPTY = 'empty_file'

/**
 * Receives what a reader makes of files: what a file is several records of, as rows, is whole each time. With `sync`
 * the files are the whole of their source.
 */
export function takeItems(
  target: Target,
  items: AsyncIterable<ExportItem>,
  source: ReceivingSource,
): Promise<Reply<Accepted | Job>> {
  return take(target, withdrawGone(target, source.id, items), { source, isStream: true })
}

/**
 * The items of an import, and after the last of them a removal for each record that it did not bring: of the files that
 * it read, those that are several records, and where it brings the whole of its source, of all of that. What came of a
 * file that could not be read this time stays. What breaks off removes nothing.
 */
async function* withdrawGone(
  { ctx, reach, query }: Pick<Target, 'ctx' | 'reach' | 'query'>,
  sourceId: string,
  items: AsyncIterable<ExportItem>,
): AsyncGenerator<ReceivedLine> {
  const hash = ctx.key?.seal.hash ?? plainKeyHash
  const brought = new Set<number>()
  const several = new Set<string>()
  const unread: string[] = []
  let line = 0
  for await (const item of items) {
    line = item.line
    if ('record' in item && item.record) {
      brought.add(hash(recordKey(sourceId, item.record.external_id)))
      if (isWithin(item.record)) several.add(String(item.record.properties?.path))
    } else if ('error' in item && item.file !== undefined && item.error.reason !== EMPTY) unread.push(item.file)
    yield toLine(item)
  }
  if (brought.size === 0 || (!query.sync && several.size === 0)) return
  const lookedAtMax = query.sync ? Number.POSITIVE_INFINITY : LOOKED_AT_MAX
  for await (const record of recordsNotIn({ ctx, reach }, sourceId, brought, lookedAtMax)) {
    const { external_id, type, properties } = record
    if (unread.some((path) => isOf(path, external_id))) continue
    if (!query.sync && !(isWithin(record) && several.has(String(properties?.path)))) continue
    line += 1
    yield { line, value: { external_id, type, deleted: true } }
  }
}

/** Records of a source that an import did not bring and that are looked at for being of its files. */
const LOOKED_AT_MAX = 20_000

/** Whether a record is one of several that its file is: a row, a part, an event, a person. */
function isWithin({ external_id: id, properties }: Pick<RecordInput, 'external_id' | 'properties'>): boolean {
  return typeof properties?.path === 'string' && id.startsWith(`${properties.path}#`)
}

/** Whether a record is the document of this path, a part or row of it, or of a file within it. */
function isOf(path: string, externalId: string): boolean {
  return externalId === path || externalId.startsWith(`${path}#`) || externalId.startsWith(`${path}/`)
}

async function* recordsNotIn(
  { ctx, reach }: Pick<Target, 'ctx' | 'reach'>,
  sourceId: string,
  brought: ReadonlySet<number>,
  lookedAtMax: number,
): AsyncGenerator<StoredContent> {
  const now = await Reach.find(ctx.sql, ctx.caller, reach.sandboxId)
  if (!now) return
  const { ground, view } = await openGround(ctx, now, null)
  const yieldNow = createYieldPoint(SLICE_MS)
  const kept = new Set<string>()
  for (const key of brought) {
    const id = view.recordWithKey(key)
    if (id !== undefined) kept.add(id)
    await yieldNow()
  }
  // Where all that is in scope was brought there is nothing to look for.
  if (view.graph.countRecords(ground.scope) <= kept.size) return
  const gone: string[] = []
  for (let after: { id: string; atMs: number | null } | undefined; ; ) {
    const listed = view.graph.list({ sourceId }, ground.scope, after, LISTED_AT_ONCE)
    for (const { id } of listed) if (!kept.has(id)) gone.push(id)
    after = listed.at(-1)
    if (gone.length > lookedAtMax) return
    if (listed.length < LISTED_AT_ONCE) break
    await setImmediate()
  }
  for (let from = 0; from < gone.length; from += ROWS_AT_ONCE) {
    const rows = gone.slice(from, from + ROWS_AT_ONCE).flatMap((id) => view.rowOf(id) ?? [])
    for (const { content } of (await view.store.recordsAt(view.head, rows)).values())
      yield decodeContent<StoredContent>(content)
  }
}
