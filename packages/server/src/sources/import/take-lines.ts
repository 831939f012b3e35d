import type { Accepted, ImportFormat, Job } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { ReceivedLine } from '../../ingest/received-line.ts'
import type { ReceivingSource } from '../../ingest/receiving-source.ts'
import type { Line, Lines, Reply } from '../../tenancy/handler.ts'
import { openDocumentMapper } from '../connectors/documents/map-document.ts'
import { NOT_UNDERSTOOD } from '../connectors/export-reader.ts'
import { FORMATS, type ForeignFormat, formatOfJson, isOfDocuments } from '../connectors/exports.ts'
import { openGraphiti } from '../connectors/graphiti/read-graphiti.ts'
import { memoryRecord } from '../connectors/mem0/read-mem0.ts'
import { isCairnLine, openCairnLines } from './cairn-lines.ts'
import { sourceFor } from './import-places.ts'
import { sourceOf, type Target, take, toLine } from './target.ts'

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
export function cairnReader({ ctx, reach, query, given }: Target) {
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
