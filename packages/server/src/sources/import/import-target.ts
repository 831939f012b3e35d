import type { Accepted, ImportQuery, Job, RecordInput } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import { hasValues, ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { IMPORT_JOB } from '../../ingest/inbox.ts'
import { type ReceiveContext, receive } from '../../ingest/receive.ts'
import type { ReceivedLine, ReceivingSource } from '../../ingest/receiving-source.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { recordLater } from '../../tenancy/audit/audited-sql.ts'
import type { Reply, Wait } from '../../tenancy/handler.ts'
import { assertBelow, lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import { countSources, RETIRED, sourcesIn } from '../../tenancy/sources/source-rows.ts'
import type { ExportItem } from '../connectors/export-reader.ts'
import { FORMATS, type ForeignFormat } from '../connectors/exports.ts'
import type { SourcesCtx } from '../context.ts'
import type { StoredUpload } from './stored/store-upload.ts'

/** The name by which an export refers to a source or a project. */
interface SourceName {
  provider: string
  name: string
  /** Fallback name if another provider's source has `name`. One import may create several sources. */
  fallbackName?: string
  /** Index among the sources with this name, by age, counted from 0. */
  nth?: number
}

const NAME_CHARS_MAX = 255

/**
 * Finds or creates the active manual source of this provider and name, so that a repeated export updates the same
 * source. Under a grant that is limited to a project, the source belongs to that project. Throws `quota_exceeded`.
 */
export async function sourceFor(
  ctx: Pick<SourcesCtx, 'clock' | 'limits' | 'sql'>,
  scope: AccessScope,
  { provider, name, fallbackName, nth = 0 }: SourceName,
): Promise<ReceivingSource> {
  return ctx.sql.transact(scope.holderId, async (tx) => {
    recordLater(tx)
    const limits = await lockForGrowth(tx, scope, ctx.limits)
    const names = [name, ...(fallbackName === undefined ? [] : [fallbackName])].map(shortened)
    const named = await sourcesIn(tx, scope)
      .select(['source.id', 'source.provider', 'source.name', 'source.kind', 'source.status'])
      .where('source.name', 'in', names)
      .where('source.status', 'not in', RETIRED)
      .orderBy('source.id')
      .execute()
    const known = named.filter((source) => source.provider === provider)[nth]
    if (known?.status === 'paused') throw new Fault('source_not_active', { detail: 'The source is paused.' })
    if (known) return known
    assertBelow(limits.max_data_sources, await countSources(tx, scope), 'sources')
    const isTaken = named.some((source) => source.name === names[0])
    const chosenName = (isTaken && names[1]) || names[0]!
    const id = newId('source', ctx.clock)
    const now = ctx.clock.now()
    const place = sandboxColumns(scope)
    const kind = 'durable' as const
    await tx
      .insertInto('source')
      .values({ ...place, id, provider, name: chosenName, ingestion_mode: 'manual', kind, ...PLAIN, ...stamps(now) })
      .execute()
    if (scope.projectId !== null) await link(tx, scope, scope.projectId, id)
    return { id, provider, kind }
  })
}

function shortened(name: string): string {
  return [...name].slice(0, NAME_CHARS_MAX).join('')
}

/** Empty columns of a source with manual ingestion. */
const PLAIN = {
  external_account_id: null,
  adapter_config: {},
  poll_interval_seconds: null,
  webhook_slug: null,
  last_sync_at: null,
}

function stamps(now: Date) {
  return { last_seen_at: now, created_at: now, updated_at: now }
}

interface ExportedProject {
  name: string
  description: string | null
  metadata: Record<string, unknown>
  /** Ids of sources in this sandbox. */
  sourceIds: readonly string[]
}

/** Finds or creates an active project with this name and links it to these sources. Throws `quota_exceeded`. */
export async function projectFor(
  ctx: Pick<SourcesCtx, 'clock' | 'limits' | 'sql'>,
  scope: AccessScope,
  exported: ExportedProject,
): Promise<string> {
  return ctx.sql.transact(scope.holderId, async (tx) => {
    recordLater(tx)
    const limits = await lockForGrowth(tx, scope, ctx.limits)
    const projects = tx.selectFrom('project').where(ofSandbox(scope))
    const known = await projects
      .select('id')
      .where(hasValues({ name: exported.name, status: 'active' }))
      .orderBy('id')
      .executeTakeFirst()
    const id = known?.id ?? newId('project', ctx.clock)
    if (!known) {
      const { count } = await projects.select((is) => is.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      assertBelow(limits.max_projects, count, 'projects')
      const { name, description, metadata } = exported
      const now = ctx.clock.now()
      const place = sandboxColumns(scope)
      await tx
        .insertInto('project')
        .values({ ...place, id, name, description, metadata, created_at: now, updated_at: now })
        .execute()
    }
    for (const sourceId of exported.sourceIds) await link(tx, scope, id, sourceId)
    return id
  })
}

async function link(tx: Tx, scope: AccessScope, projectId: string, sourceId: string): Promise<void> {
  await tx
    .insertInto('project_source')
    .values({ ...sandboxColumns(scope), project_id: projectId, source_id: sourceId })
    .onConflict((is) => is.doNothing())
    .execute()
}

export type Importing = ReceiveContext &
  Pick<
    SourcesCtx,
    | 'caller'
    | 'documents'
    | 'knowledge'
    | 'log'
    | 'originalBytesMax'
    | 'recognisers'
    | 'diskSpace'
    | 'secrets'
    | 'spools'
  >

/** Destination and options of an import. */
export interface Target {
  ctx: Importing
  scope: AccessScope
  query: ImportQuery
  wait: Wait
  /** Source that the caller named. */
  given: ReceivingSource | undefined
  projectId: string | null
  /** Called with the response to an upload that takes long to read, so that the caller need not wait for its end. */
  accept?: (reply: Promise<Reply<Accepted | Job>>) => void
  /** Returns a handle that stores the upload, bound to this source. */
  store?: (source: ReceivingSource | null) => StoredUpload
  resumed?: StoredUpload
  /** True if the upload is one file and not an archive. */
  isOneFile?: boolean
}

/** Returns the source for a format's records: the one that the caller named, or a manual one with the import's name. */
export async function sourceOf(
  { ctx, scope: access, query, given }: Target,
  format: ForeignFormat,
): Promise<ReceivingSource> {
  if (given) return given
  const { provider, title } = FORMATS[format]
  const { source_name: name = `${title} (import)` } = query
  return sourceFor(ctx, access, { provider, name, fallbackName: `${name} (${title})` })
}

/** Receives records as one job. A stream is throttled to the sandbox's rate limit; others were counted before. */
export function take(
  { ctx, scope: access, wait, projectId, accept, store, isOneFile = false }: Target,
  lines: AsyncIterable<ReceivedLine> | Iterable<ReceivedLine>,
  { source, isStream }: { source: ReceivingSource | null; isStream: boolean },
): Promise<Reply<Accepted | Job>> {
  const delivery = { access, source, jobType: IMPORT_JOB, wait, projectId, isStream, isOneFile }
  const later = { ...(accept && { accept }), ...(store && { stored: store(source) }) }
  return receive(ctx, { ...delivery, ...later }, lines)
}

/** Converts an item of a reader to a line to receive. */
export function toLine({ line, file, original, ...read }: ExportItem): ReceivedLine {
  const place = { line, ...(file !== undefined && { file }) }
  if ('expected' in read) return { line, expected: read.expected }
  if ('error' in read) return { ...place, error: read.error }
  return { ...place, value: withPath(read.record, file), asOf: read.record.as_of, original }
}

/** Adds the file's path to an email record. Document records already have it. */
function withPath(record: RecordInput, file: string | undefined): RecordInput {
  if (file === undefined || record.type !== MAIL_TYPE || record.properties?.path !== undefined) return record
  return { ...record, properties: { ...record.properties, path: file } }
}

const MAIL_TYPE = 'email'
