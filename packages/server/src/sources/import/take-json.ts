import type { Accepted, ImportFormat, Job } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import { listIn } from '../../documents/formats/read-values.ts'
import type { ReceivedLine } from '../../ingest/received-line.ts'
import type { Reply } from '../../tenancy/handler.ts'
import { takeRecords } from '../../tenancy/limits/take-records.ts'
import { openDocumentMapper } from '../connectors/documents/map-document.ts'
import { type ExportItem, NOT_UNDERSTOOD } from '../connectors/export-reader.ts'
import { formatOfJson, isOfDocuments, readJson } from '../connectors/exports.ts'
import { isCairnLine } from './cairn-lines.ts'
import { cairnReader } from './take-lines.ts'
import { sourceOf, type Target, take, toLine } from './target.ts'

/** Reading lets other work in after so long. */
const SLICE_MS = 5

/** Takes an export that is one JSON value; its records count against the rate at once. */
export async function takeJson(target: Target, value: unknown): Promise<Reply<Accepted | Job>> {
  const own = cairnLinesOf(value)
  const format = target.query.format ?? formatOfValue(value) ?? 'documents'
  const lines: ReceivedLine[] = []
  const yieldPoint = createYieldPoint(SLICE_MS)
  if (format === 'cairn') {
    const reader = cairnReader(target)
    for (const [index, line] of (own ?? []).entries()) {
      const read = await reader.read(line, index + 1)
      if (read) lines.push(read)
    }
  } else {
    for (const item of isOfDocuments(format) ? listedItems(value, target.query.path) : readJson(format, value)) {
      lines.push(toLine(item))
      await yieldPoint()
    }
  }
  if (lines.length === 0 && !own) throw new Fault('unknown_format')
  const source = format === 'cairn' ? (target.given ?? null) : await sourceOf(target, format)
  await takeRecords(target.ctx, target.reach, lines.length)
  return take(target, lines, { source, isStream: false })
}

/** Which export a JSON value is, when it is one of those known. */
export function formatOfValue(value: unknown): ImportFormat | undefined {
  return cairnLinesOf(value) ? 'cairn' : formatOfJson(value)
}

/** The records of a JSON value that is no export: an object each of the list that it is or has. */
function* listedItems(value: unknown, path: string | undefined): Generator<ExportItem> {
  const read = openDocumentMapper({ path, id: path ?? 'json', scope: '' })
  for (const [at, each] of (listIn(value) ?? []).entries()) {
    const record = read({ kind: 'value', value: each })
    yield {
      line: at + 1,
      ...(path !== undefined && { file: path }),
      ...(record ? { record } : { error: NOT_UNDERSTOOD }),
    }
  }
}

/** The lines of our own export in one JSON value: a list, or a list of records in an object. */
function cairnLinesOf(value: unknown): unknown[] | undefined {
  const listed = Array.isArray(value) ? value : (value as { records?: unknown } | null)?.records
  return Array.isArray(listed) && (listed.length === 0 || listed.some(isCairnLine)) ? listed : undefined
}
