import type { Accepted, ImportQuery, Job } from '@cairnstore/contract'
import { IMPORT_JOB } from '../../ingest/inbox.ts'
import { type Receiving, receive } from '../../ingest/receive.ts'
import type { ReceivedLine } from '../../ingest/received-line.ts'
import type { ReceivingSource } from '../../ingest/receiving-source.ts'
import type { Reply } from '../../tenancy/handler.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { ExportItem } from '../connectors/export-reader.ts'
import { FORMATS, type ForeignFormat } from '../connectors/exports.ts'
import type { Ctx } from '../context.ts'
import { sourceFor } from './import-places.ts'

/** What an import goes to, and how it is to be taken. */
export interface Target {
  ctx: Receiving & Pick<Ctx, 'caller' | 'knowledge' | 'recognisers' | 'spools'>
  reach: Reach
  query: ImportQuery
  waitSeconds: number
  /** The source that the caller named. */
  given: ReceivingSource | undefined
  projectId: string | null
  /** Given the reply of what takes long to read, once nobody need stay for it. */
  accept?: (reply: Promise<Reply<Accepted | Job>>) => void
}

/** The source of a format's records: the one that was named, else a manual one of the import's name. */
export async function sourceOf({ ctx, reach, query, given }: Target, format: ForeignFormat): Promise<ReceivingSource> {
  if (given) return given
  const { provider, title } = FORMATS[format]
  return sourceFor(ctx, reach, { provider, name: query.source_name ?? `${title} (import)` })
}

/** Receives what was read as one job. A stream is slowed to the sandbox's rate; else the rate was taken before. */
export function take(
  { ctx, reach, waitSeconds, projectId, accept }: Target,
  lines: AsyncIterable<ReceivedLine> | Iterable<ReceivedLine>,
  { source, isStream }: { source: ReceivingSource | null; isStream: boolean },
): Promise<Reply<Accepted | Job>> {
  const delivery = { reach, source, jobType: IMPORT_JOB, waitSeconds, projectId, isStream, ...(accept && { accept }) }
  return receive(ctx, delivery, lines)
}

/** What a reader made of one thing, as it is received. */
export function toLine({ line, file, ...read }: ExportItem): ReceivedLine {
  const place = { line, ...(file !== undefined && { file }) }
  if ('expected' in read) return { line, expected: read.expected }
  return 'error' in read ? { ...place, error: read.error } : { ...place, value: read.record, asOf: read.record.as_of }
}
