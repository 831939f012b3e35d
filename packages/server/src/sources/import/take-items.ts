import type { Accepted, Job } from '@cairnstore/contract'
import { decodeContent, recordKey, type StoredContent } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import type { ReceivedLine } from '../../ingest/received-line.ts'
import type { ReceivingSource } from '../../ingest/receiving-source.ts'
import { openGround } from '../../store/ground.ts'
import type { Reply } from '../../tenancy/handler.ts'
import { Reach } from '../../tenancy/reach/reach.ts'
import type { ExportItem } from '../connectors/export-reader.ts'
import { type Target, take, toLine, toLines } from './target.ts'

/** Records of the source that are looked at, and read, at once. */
const ROWS_AT_ONCE = 500
/** What is in such a file now is nothing; any other that is not read may still hold what it held. */
const EMPTY = 'empty_file'

/** Receives what a reader makes of files; with `sync` they are the whole of their source. */
export function takeItems(
  target: Target,
  items: AsyncIterable<ExportItem>,
  source: ReceivingSource,
): Promise<Reply<Accepted | Job>> {
  const lines = target.query.sync ? withdrawGone(target, source.id, items) : toLines(items)
  return take(target, lines, { source, isStream: true })
}

/**
 * The items of an import that brings the whole of its source, and after the last of them a removal for each record of
 * the source that it did not bring. What came of a file that could not be read this time stays. What breaks off removes
 * nothing.
 */
async function* withdrawGone(
  { ctx, reach }: Pick<Target, 'ctx' | 'reach'>,
  sourceId: string,
  items: AsyncIterable<ExportItem>,
): AsyncGenerator<ReceivedLine> {
  const hash = ctx.key?.seal.hash ?? plainKeyHash
  const brought = new Set<number>()
  const unread: string[] = []
  let line = 0
  for await (const item of items) {
    line = item.line
    if ('record' in item && item.record) brought.add(hash(recordKey(sourceId, item.record.external_id)))
    else if ('error' in item && item.file !== undefined && item.error.reason !== EMPTY) unread.push(item.file)
    yield toLine(item)
  }
  if (brought.size === 0) return
  for await (const { external_id, type } of recordsNotIn({ ctx, reach }, sourceId, brought)) {
    if (unread.some((path) => isOf(path, external_id))) continue
    line += 1
    yield { line, value: { external_id, type, deleted: true } }
  }
}

/** Whether a record is the document of this path, a part or row of it, or of a file within it. */
function isOf(path: string, externalId: string): boolean {
  return externalId === path || externalId.startsWith(`${path}#`) || externalId.startsWith(`${path}/`)
}

async function* recordsNotIn(
  { ctx, reach }: Pick<Target, 'ctx' | 'reach'>,
  sourceId: string,
  brought: ReadonlySet<number>,
): AsyncGenerator<StoredContent> {
  const now = await Reach.find(ctx.sql, ctx.caller, reach.sandboxId)
  if (!now) return
  const { ground, view } = await openGround(ctx, now, null)
  const kept = new Set([...brought].flatMap((key) => view.recordWithKey(key) ?? []))
  const gone: string[] = []
  for (let after: { id: string; atMs: number | null } | undefined; ; ) {
    const listed = view.graph.list({ sourceId }, ground.scope, after, ROWS_AT_ONCE)
    gone.push(...listed.flatMap(({ id }) => (kept.has(id) ? [] : [id])))
    after = listed.at(-1)
    if (listed.length < ROWS_AT_ONCE) break
  }
  for (let from = 0; from < gone.length; from += ROWS_AT_ONCE) {
    const rows = gone.slice(from, from + ROWS_AT_ONCE).flatMap((id) => view.rowOf(id) ?? [])
    for (const { content } of (await view.store.recordsAt(view.head, rows)).values())
      yield decodeContent<StoredContent>(content)
  }
}
