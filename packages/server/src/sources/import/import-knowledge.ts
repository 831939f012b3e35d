import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { Accepted, ImportQuery, Job, RecordInput } from '@cairnstore/contract'
import { decodeContent, encodedExternalId, recordKey, type StoredContent } from '@cairnstore/engine/resolve'
import { plainKeyHash } from '@cairnstore/engine/text'
import { Fault, invalid } from '../../base/fault.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import { hasKnownFormat } from '../../documents/detect.ts'
import type { ReceivedLine } from '../../ingest/receiving-source.ts'
import { type ReceivingSource, receivingSource } from '../../ingest/receiving-source.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import { readWindows } from '../../store/read-windows.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type BodyParsers, type Lines, NO_WAIT, type Reply, type Upload, type Wait } from '../../tenancy/handler.ts'
import { projectStatus } from '../../tenancy/projects/store.ts'
import { assertWritable } from '../../tenancy/sandboxes/assert-writable.ts'
import { isMail, isMbox, readMbox } from '../connectors/email/read-mbox.ts'
import { type ExportFiles, type ExportItem, type ReaderTools, wholeFile } from '../connectors/export-reader.ts'
import { formatOfFiles, isDocumentFormat, readFiles } from '../connectors/exports.ts'
import type { SourcesCtx } from '../context.ts'
import { storeOriginal } from '../originals/store-original.ts'
import { type Importing, sourceOf, type Target, take, toLine } from './import-target.ts'
import { openRecogniser, type ReadingFiles, readDocuments } from './read-documents.ts'
import { type StoredUpload, storeUpload, type UploadPlanes } from './stored/store-upload.ts'
import type { Manifest } from './stored/stored-upload.ts'
import { formatOfValue, takeJson, takeLines } from './take-lines.ts'
import { type OpenedUpload, type ReceivedUpload, withUpload } from './uploads/open-upload.ts'
import type { Spool } from './uploads/spools.ts'

/** An import request, with its body in one of three forms. */
interface Import {
  query: ImportQuery
  body: unknown
  lines: Lines | undefined
  upload: Upload | undefined
  reading: BodyParsers
  wait: Wait
}

/**
 * Imports an export: detects its format, reads its records and receives them. A long upload is stored, and its import
 * continues after the response. Throws `unknown_format` if it is not an export. Throws the faults of its source, its
 * project, its archive and of receiving.
 */
export async function importKnowledge(
  ctx: Importing & UploadPlanes,
  scope: AccessScope,
  { query, body, lines, upload, reading, wait }: Import,
): Promise<Reply<Accepted | Job>> {
  assertWritable(scope)
  const projectId = await projectOf(ctx, scope, query.project_id)
  const given = query.data_source_id ? await receivingSource(ctx, scope, query.data_source_id) : undefined
  if (query.sync && !(upload && (query.data_source_id || query.source_name))) {
    throw invalid(['query', 'sync'], SYNC_NEEDS)
  }
  const target = { ctx, scope, query, wait, given, projectId }
  if (upload) {
    const incoming = { accountId: ctx.caller.accountId, upload }
    // A long upload is read after its response, so its spool stays until the import ends.
    return new Promise((accept, reject) => {
      const take = (opened: OpenedUpload, arrived: ReceivedUpload) => {
        const manifest = { query, projectId }
        const store = (source: ReceivingSource | null) => storeUpload(ctx, scope, { arrived, manifest, source })
        const isOneFile = arrived.files ? arrived.files.length === 1 : !('files' in opened)
        return takeUpload({ ...target, accept, store, isOneFile }, opened, reading)
      }
      withUpload(ctx.spools, incoming, take).then(accept, reject)
    })
  }
  return lines ? takeLines(target, lines) : takeJson(target, body)
}

/** An accepted import to resume. */
interface ResumedImport extends Pick<Manifest, 'query' | 'projectId'> {
  /** The source that it has imported into so far; null if it has no single source. */
  sourceId: string | null
  stored: StoredUpload
}

/** Resumes an accepted import from its stored upload. Throws the same faults as `importKnowledge`. */
export async function resumeImport(
  ctx: Importing,
  scope: AccessScope,
  { query, projectId, sourceId, stored }: ResumedImport,
  opened: OpenedUpload,
  reading: BodyParsers,
): Promise<void> {
  assertWritable(scope)
  const given = sourceId === null ? undefined : await receivingSource(ctx, scope, sourceId)
  const target = { ctx, scope, query, wait: NO_WAIT, given, projectId, store: () => stored, resumed: stored }
  await takeUpload(target, opened, reading)
}

const SYNC_NEEDS = 'sync needs files and the source whose whole content they are: data_source_id or source_name.'

/** Returns the default project of the records: the given one, or the one that the grant is limited to. */
async function projectOf(
  ctx: Pick<SourcesCtx, 'sql'>,
  scope: AccessScope,
  given: string | undefined,
): Promise<string | null> {
  const projectId = given ?? scope.projectId
  if (projectId === null) return null
  if (scope.projectId && projectId !== scope.projectId) throw new Fault('not_found')
  const status = await projectStatus(ctx, scope, projectId)
  if (!status) throw new Fault('not_found', { detail: 'project_id is not a project of this sandbox.' })
  if (status === 'archived') throw new Fault('project_archived')
  return projectId
}

/** Imports an uploaded file. An archive's format depends on its content, another file's on its first bytes. */
function takeUpload(target: Target, opened: OpenedUpload, reading: BodyParsers): Promise<Reply<Accepted | Job>> {
  return 'files' in opened ? takeFiles(target, opened.files, reading) : takeFile(target, opened, reading)
}

async function takeFiles(target: Target, files: ExportFiles, reading: BodyParsers): Promise<Reply<Accepted | Job>> {
  const tools = (scope: string): ReaderTools => ({ scope, json: (bytes) => reading.json(Buffer.from(bytes)) })
  const requested = target.query.format
  if (requested === 'cairn' || files.names.length === 0) throw new Fault('unknown_format')
  const format = requested ?? (await formatOfFiles(files, tools(''))) ?? 'documents'
  if (isDocumentFormat(format)) return takeDocuments(target, files)
  const source = await sourceOf(target, format)
  return takeItems(target, readFiles(format, files, tools(source.id)), source)
}

/** Imports files whose formats are detected one by one. */
async function takeDocuments(target: Target, files: ExportFiles, type?: string): Promise<Reply<Accepted | Job>> {
  const source = await sourceOf(target, 'documents')
  return takeItems(target, readDocuments(readingOf(target, source.id, { files, type })), source)
}

function readingOf(target: Target, scope: string, files: Pick<ReadingFiles, 'files' | 'type'>): ReadingFiles {
  const { ctx, projectId } = target
  const reader = ctx.documents.open(ctx.caller.accountId)
  const owner = { userId: target.scope.holderId, sandboxId: target.scope.sandboxId, sourceId: scope, projectId }
  const recognise = openRecogniser(target)
  return { ...files, scope, reader, recognise, storeOriginal: (file) => storeOriginal(ctx, owner, file) }
}

const JSON_START = /^\ufeff?\s*[[{]/

async function takeFile(
  target: Target,
  { head, spool, type }: Exclude<OpenedUpload, { files: ExportFiles }>,
  reading: BodyParsers,
): Promise<Reply<Accepted | Job>> {
  const { format, path = '' } = target.query
  const file = { name: path, bytes: spool.bytes, open: () => spool.read() }
  const singleFile = { names: [path], files: () => Readable.from([file]) }
  if (spool.bytes === 0) throw new Fault('unknown_format', { detail: 'The file is empty.' })
  if (format && format !== 'cairn' && isDocumentFormat(format)) return takeDocuments(target, singleFile, type)
  if (JSON_START.test(head.toString('utf8')) && !hasKnownFormat(head.toString('latin1'), path, type)) {
    const whole = await wholeFile(file)
    const value = 'error' in whole ? undefined : oneValue(reading, whole.bytes)
    if (value !== undefined && formatOfValue(value)) return takeJson(target, value)
    if (value === undefined && (format || (await isLines(spool)))) return takeLines(target, reading.lines(spool.read()))
    if (format) throw new Fault('unknown_format')
  }
  if (isMbox(head)) {
    const source = await sourceOf(target, 'mbox')
    return takeItems(target, readMbox(spool.read(), path || undefined), source)
  }
  if (format && format !== 'mbox') throw new Fault('unknown_format')
  if (!isMail(head)) return takeDocuments(target, singleFile, type)
  const source = await sourceOf(target, 'mbox')
  return takeItems(target, readDocuments(readingOf(target, source.id, { files: singleFile, type })), source)
}

/** Returns true if the first line of a file is complete JSON. */
async function isLines(spool: Spool): Promise<boolean> {
  const parts: Buffer[] = []
  for await (const part of spool.read(0, Math.min(spool.bytes, LINE_BYTES_MAX))) {
    parts.push(part as Buffer)
    if ((part as Buffer).includes('\n')) break
  }
  const [first = ''] = Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .split('\n', 1)
  try {
    return typeof JSON.parse(first) === 'object'
  } catch {
    return false
  }
}

/** Maximum length of a line in bytes. */
const LINE_BYTES_MAX = 1024 * 1024

/** Returns the JSON value of a whole file; undefined if it is not one. */
function oneValue(reading: BodyParsers, bytes: Uint8Array): unknown {
  try {
    return reading.json(Buffer.from(bytes))
  } catch (cause) {
    if (cause instanceof Fault && cause.reason === 'malformed_json') return undefined
    throw cause
  }
}

/** Number of ids per page of a listing. Each page scans all records of the source. */
const LIST_PAGE = 10_000
/** Milliseconds of work between yields to the event loop. */
const SLICE_MS = 5
/** Error reason of an empty file. Its earlier records may be deleted; those of unreadable files remain. */
const EMPTY = 'empty_file'

/** Receives the items of files. They replace the earlier records of their files; with `sync`, of the whole source. */
function takeItems(
  target: Target,
  items: AsyncIterable<ExportItem>,
  source: ReceivingSource,
): Promise<Reply<Accepted | Job>> {
  return take(target, withDeletions(target, source.id, items), { source, isStream: true })
}

/**
 * Yields the items of an import, followed by a deletion for each record that it does not contain. Candidates are the
 * records of imported files that have several records, or of the whole source if the query has `sync`. Records of a
 * file that could not be read are not deleted, and an import that fails deletes nothing.
 */
async function* withDeletions(
  { ctx, scope: access, query, resumed }: Pick<Target, 'ctx' | 'scope' | 'query' | 'resumed'>,
  sourceId: string,
  items: AsyncIterable<ExportItem>,
): AsyncGenerator<ReceivedLine> {
  const hash = ctx.key?.seal.hash ?? plainKeyHash
  const importedKeys = new Set<number>()
  const splitPaths = new Set<string>()
  const failedFiles: string[] = []
  let line = 0
  for await (const item of items) {
    line = item.line
    if ('record' in item && item.record) {
      importedKeys.add(hash(recordKey(sourceId, item.record.external_id)))
      if (isWithin(item.record)) splitPaths.add(String(item.record.properties?.path))
    } else if ('error' in item && item.file !== undefined && item.error.reason !== EMPTY) failedFiles.push(item.file)
    yield toLine(item)
  }
  if (importedKeys.size === 0 || (!query.sync && splitPaths.size === 0)) return
  // Waits until earlier deletions are applied, so that no record is deleted twice.
  await resumed?.untilApplied(ctx.signal)
  const scannedMax = query.sync ? Number.POSITIVE_INFINITY : SCANNED_MAX
  const isCandidate = (id: string) => query.sync === true || pathsWithin(id).some((path) => splitPaths.has(path))
  const leftovers = { importedKeys, scannedMax, isCandidate }
  for await (const record of recordsNotIn({ ctx, scope: access }, sourceId, leftovers)) {
    const { external_id, type, properties } = record
    if (failedFiles.some((path) => isOf(path, external_id))) continue
    if (!query.sync && !(isWithin(record) && splitPaths.has(String(properties?.path)))) continue
    line += 1
    yield { line, value: { external_id, type, deleted: true }, isDerived: true }
  }
}

/** Maximum number of a source's other records that are checked without `sync`. */
const SCANNED_MAX = 20_000

/** Returns true if a record is one of several in its file: a row, a part, an event or a person. */
function isWithin({ external_id: id, properties }: Pick<RecordInput, 'external_id' | 'properties'>): boolean {
  return typeof properties?.path === 'string' && id.startsWith(`${properties.path}#`)
}

/** Returns the paths that the external id of a part or row may begin with. A path may have a # itself. */
function pathsWithin(externalId: string): string[] {
  return [...externalId.matchAll(/#/g)].map(({ index }) => externalId.slice(0, index))
}

/** Returns true if a record is the document at this path, a part or row of it, or from a file within it. */
function isOf(path: string, externalId: string): boolean {
  return externalId === path || externalId.startsWith(`${path}#`) || externalId.startsWith(`${path}/`)
}

interface Leftovers {
  readonly importedKeys: ReadonlySet<number>
  /** Maximum number of the source's other records. With more, none is returned. */
  readonly scannedMax: number
  /** Returns false for the external id of a record that need not be decoded. */
  readonly isCandidate: (externalId: string) => boolean
}

async function* recordsNotIn(
  { ctx, scope: access }: Pick<Target, 'ctx' | 'scope'>,
  sourceId: string,
  { importedKeys, scannedMax, isCandidate }: Leftovers,
): AsyncGenerator<StoredContent> {
  const now = await AccessScope.find(ctx.sql, ctx.caller, access.sandboxId)
  if (!now) return
  const { snapshot, view } = await openSnapshot(ctx, now, null)
  const yieldNow = createYieldPoint(SLICE_MS)
  const importedIds = new Set<string>()
  for (const key of importedKeys) {
    const id = view.recordWithKey(key)
    if (id !== undefined) importedIds.add(id)
    await yieldNow()
  }
  // Skips the scan if the scope contains only imported records.
  if (view.graph.countRecords(snapshot.scope) <= importedIds.size) return
  const gone: string[] = []
  for (let after: { id: string; atMs: number | null } | undefined; ; ) {
    const listed = view.graph.list({ sourceId }, snapshot.scope, after, LIST_PAGE)
    for (const { id } of listed) if (!importedIds.has(id)) gone.push(id)
    after = listed.at(-1)
    if (gone.length > scannedMax) return
    if (listed.length < LIST_PAGE) break
    await setImmediate()
  }
  for await (const contents of readWindows(gone, (ids) => readContents(view, ids))) {
    for (const content of contents) {
      const id = encodedExternalId(content)
      if (id === undefined || isCandidate(id)) yield decodeContent<StoredContent>(content)
      await yieldNow()
    }
  }
}

async function readContents({ store, head, rowOf }: SandboxView, ids: readonly string[]) {
  const found = await store.recordsAt(
    head,
    ids.flatMap((id) => rowOf(id) ?? []),
  )
  const result = Array.from(found.values(), ({ content }) => content)
  return { result, bytes: result.reduce((sum, { length }) => sum + length, 0) }
}
