import type { Accepted, ImportFormat, Job } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import { listIn } from '../../documents/formats/read-values.ts'
import type { ReceivedLine, ReceivingSource } from '../../ingest/receiving-source.ts'
import type { Line, Lines, Reply } from '../../tenancy/handler.ts'
import { takeRecords } from '../../tenancy/limits/rates.ts'
import { openDocumentMapper } from '../connectors/documents/map-document.ts'
import { type ExportItem, NOT_UNDERSTOOD } from '../connectors/export-reader.ts'
import { FORMATS, type ForeignFormat, formatOfJson, isOfDocuments, readJson } from '../connectors/exports.ts'
import { openGraphiti } from '../connectors/graphiti/read-graphiti.ts'
import { memoryRecord } from '../connectors/mem0/read-mem0.ts'
import { isCairnLine, openCairnLines } from './cairn-lines.ts'
import { sourceFor, sourceOf, type Target, take, toLine } from './import-places.ts'

/** Takes an export that comes line by line, of any length: ours, mem0's memories, or Graphiti's database. */
export async function takeLines(target: Target, lines: Lines): Promise<Reply<Accepted | Job>> {
  const reading = lines[Symbol.asyncIterator]()
  const first = await reading.next()
  const all = async function* (): AsyncGenerator<Line> {
    if (!first.done) yield first.value
    yield* { [Symbol.asyncIterator]: () => reading }
  }
  const format = target.query.format ?? formatOfLine(first.done ? undefined : first.value) ?? 'documents'
  if (format === 'cairn') {
    const read = readCairn(all(), cairnReader(target))
    return take(target, read, { source: target.given ?? null, isStream: true })
  }
  const read = foreignLine(format, target.query.path)
  if (!read) throw new Fault('unknown_format', { detail: `Exports of ${FORMATS[format].title} are no NDJSON.` })
  return take(target, readAll(all(), read), { source: await sourceOf(target, format), isStream: true })
}

/** A line that cannot be read says nothing, and is named in the job. */
function formatOfLine(line: Line | undefined): ImportFormat | undefined {
  if (line === undefined || 'error' in line || isCairnLine(line.value)) return 'cairn'
  return formatOfJson([line.value])
}

/** Reads our own export, records of sources without a name going to one made for the import. */
function cairnReader({ ctx, reach, query, given }: Target) {
  let made: ReceivingSource | undefined
  const name = query.source_name ?? 'Cairn (import)'
  const fallback = async () => {
    made ??= await sourceFor(ctx, reach, { provider: 'cairn', name })
    return made
  }
  return openCairnLines(ctx, reach, { only: given, fallback })
}

async function* readCairn(
  lines: AsyncIterable<Line>,
  reader: ReturnType<typeof cairnReader>,
): AsyncGenerator<ReceivedLine> {
  for await (const line of lines) {
    const read = 'error' in line ? line : await reader.read(line.value, line.line)
    if (read) yield read
  }
}

type ReadLine = (value: unknown, line: number) => ReceivedLine | undefined

/** How one line of another product's export is read, when it writes lines. */
function foreignLine(format: ForeignFormat, path: string | undefined): ReadLine | undefined {
  if (format === 'mem0') {
    return (value, line) => {
      const record = memoryRecord(value)
      return toLine(record ? { line, record } : { line, error: NOT_UNDERSTOOD })
    }
  }
  if (isOfDocuments(format)) {
    const read = openDocumentMapper({ path, id: path ?? 'json', scope: '' })
    const named = path === undefined ? {} : { file: path }
    return (value, line) => {
      const record = typeof value === 'object' && value !== null ? read({ kind: 'value', value }) : undefined
      return toLine(record ? { line, ...named, record } : { line, ...named, error: NOT_UNDERSTOOD })
    }
  }
  if (format !== 'graphiti') return undefined
  const reader = openGraphiti()
  return (value, line) => {
    const item = reader.read(value, line)
    return item && toLine(item)
  }
}

async function* readAll(lines: AsyncIterable<Line>, read: ReadLine): AsyncGenerator<ReceivedLine> {
  for await (const line of lines) {
    const item = 'error' in line ? line : read(line.value, line.line)
    if (item) yield item
  }
}

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
