import type { Accepted, ImportFormat, Job } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import { findList } from '../../documents/formats/read-values.ts'
import type { ReceivedLine, ReceivingSource } from '../../ingest/receiving-source.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { Line, Lines, Reply } from '../../tenancy/handler.ts'
import { takeRecords } from '../../tenancy/limits/rates.ts'
import { openDocumentMapper } from '../connectors/documents/map-document.ts'
import { type ExportItem, NOT_UNDERSTOOD } from '../connectors/export-reader.ts'
import {
  FORMATS,
  type ForeignFormat,
  formatOfJson,
  isDocumentFormat,
  openLines,
  readJson,
} from '../connectors/exports.ts'
import { moment, number, pick, text } from '../connectors/pick.ts'
import type { SourcesCtx } from '../context.ts'
import { projectFor, sourceFor, sourceOf, type Target, take, toLine } from './import-target.ts'

/** Imports an export of any length in JSON Lines: Cairn's own format, mem0's memories, or Graphiti's database. */
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
  if (!read) throw new Fault('unknown_format', { detail: `${FORMATS[format].title} exports are not NDJSON.` })
  return take(target, readAll(all(), read), { source: await sourceOf(target, format), isStream: true })
}

/** Returns the format of an export by its first line. An invalid line counts as Cairn's format. */
function formatOfLine(line: Line | undefined): ImportFormat | undefined {
  if (line === undefined || 'error' in line || isCairnLine(line.value)) return 'cairn'
  return formatOfJson([line.value])
}

/** Returns a reader for Cairn's own export. Records without a known source go to one that is created for the import. */
function cairnReader({ ctx, scope: access, query, given }: Target) {
  let created: ReceivingSource | undefined
  const name = query.source_name ?? 'Cairn (import)'
  const fallback = async () => {
    created ??= await sourceFor(ctx, access, { provider: 'cairn', name })
    return created
  }
  return openCairnLines(ctx, access, { only: given, fallback })
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

/** Returns a function that reads one line of another product's export; undefined if the product has no JSON Lines. */
function foreignLine(format: ForeignFormat, path: string | undefined): ReadLine | undefined {
  const read = isDocumentFormat(format) ? openListed(path) : openLines(format)
  return (
    read &&
    ((value, line) => {
      const item = read(value, line)
      return item && toLine(item)
    })
  )
}

async function* readAll(lines: AsyncIterable<Line>, read: ReadLine): AsyncGenerator<ReceivedLine> {
  for await (const line of lines) {
    const item = 'error' in line ? line : read(line.value, line.line)
    if (item) yield item
  }
}

/** Milliseconds of work between yields to the event loop. */
const SLICE_MS = 5

/** Imports an export that is one JSON value. All of its records are counted against the rate limit at once. */
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
    for (const item of isDocumentFormat(format) ? listedItems(value, target.query.path) : readJson(format, value)) {
      lines.push(toLine(item))
      await yieldPoint()
    }
  }
  if (lines.length === 0 && !own) throw new Fault('unknown_format')
  const source = format === 'cairn' ? (target.given ?? null) : await sourceOf(target, format)
  await takeRecords(target.ctx, target.scope, lines.length)
  return take(target, lines, { source, isStream: false })
}

/** Returns the format of a JSON value; undefined if it is not a known export. */
export function formatOfValue(value: unknown): ImportFormat | undefined {
  return cairnLinesOf(value) ? 'cairn' : formatOfJson(value)
}

/** Yields the records of a JSON value that is not a known export: one for each object in its list. */
function* listedItems(value: unknown, path: string | undefined): Generator<ExportItem> {
  const read = openListed(path)
  for (const [at, each] of (findList(value) ?? []).entries()) yield read(each, at + 1)
}

/** Returns a function that maps objects one by one to records of the file at this path. */
function openListed(path: string | undefined): (value: unknown, line: number) => ExportItem {
  const read = openDocumentMapper({ path, id: path ?? 'json', scope: '' })
  return (value, line) => {
    const record = typeof value === 'object' && value !== null ? read({ kind: 'value', value }) : undefined
    return { line, ...(path !== undefined && { file: path }), ...(record ? { record } : { error: NOT_UNDERSTOOD }) }
  }
}

/** Returns the lines of Cairn's own export in one JSON value: a list, or the `records` list of an object. */
function cairnLinesOf(value: unknown): unknown[] | undefined {
  const listed = Array.isArray(value) ? value : (value as { records?: unknown } | null)?.records
  return Array.isArray(listed) && (listed.length === 0 || listed.some(isCairnLine)) ? listed : undefined
}

/** Maximum number of sources, and of projects, per export. */
const PLACES_MAX = 10_000
/** Fields of a record that the service sets. */
const OWN_FIELDS = new Set([
  ...['kind', 'record_id', 'sandbox_id', 'source_id', 'canonical_ids', 'created_at', 'updated_at'],
])
/** Kinds of export lines that are derived from the records. */
const DERIVED = new Set(['export', 'entity'])

/** Matches the source id in the key of a record, or in the key of a name within a record. */
const OF_SOURCE = /^(ref:|name:[^:@]*@ref:)([^:]+):/
/** Maximum number of keys per entity: its names and identifiers. */
const KEYS_MAX = 512

/** Maximum length of a key: the longest identifier or name with its kind and source. */
const KEY_CHARS_MAX = 8_192
const TYPE_CHARS_MAX = 255

function isText(value: unknown, charsMax: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= charsMax
}

function isKeys(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > KEYS_MAX) return false
  return value.every((key) => isText(key, KEY_CHARS_MAX))
}

/** Returns true for a line of `GET …/export`, or a record as in a PUT request. */
function isCairnLine(value: unknown): boolean {
  const kind = text(value, 'kind')
  if (kind !== undefined && text(value, 'external_id') === undefined) return KINDS.has(kind)
  return text(value, 'external_id') !== undefined && text(value, 'type') !== undefined
}

const KINDS = new Set(['record', 'source', 'project', 'decision', ...DERIVED])

/**
 * Returns a reader for the output of `GET …/export`. It finds or creates sources and projects by name, and adds records
 * to their sources. Decisions about entities apply to the imported records. Entities are derived again from the
 * records. With `only`, every record goes to that source and has no project.
 */
function openCairnLines(
  ctx: Pick<SourcesCtx, 'caller' | 'clock' | 'limits' | 'sql'>,
  scope: AccessScope,
  { only, fallback }: { only: ReceivingSource | undefined; fallback: () => Promise<ReceivingSource> },
) {
  const sources = new Map<string, ReceivingSource>()
  const projects = new Map<string, string>()
  const names = new Map<string, number>()
  const isWhole = only === undefined && scope.projectId === null

  const readSource = async (value: unknown) => {
    const id = text(value, 'source_id')
    const [provider, name] = [text(value, 'provider'), text(value, 'name')]
    if (only || !id || !provider || !name || sources.has(id) || sources.size >= PLACES_MAX) return
    const nameKey = JSON.stringify([provider, name])
    const nth = names.get(nameKey) ?? 0
    names.set(nameKey, nth + 1)
    sources.set(id, await sourceFor(ctx, scope, { provider, name, nth }))
  }
  const readProject = async (value: unknown) => {
    const [id, name] = [text(value, 'project_id'), text(value, 'name')]
    if (!isWhole || !id || !name || projects.size >= PLACES_MAX) return
    const linked = (pick(value, 'data_source_ids') ?? []) as unknown[]
    const sourceIds = linked.flatMap((one) => sources.get(String(one))?.id ?? [])
    const metadata = (pick(value, 'metadata') ?? {}) as Record<string, unknown>
    const exported = { name, description: text(value, 'description') ?? null, metadata, sourceIds }
    projects.set(id, await projectFor(ctx, scope, exported))
  }
  const recordOf = async (value: object, line: number): Promise<ReceivedLine> => {
    const shown = Object.fromEntries(Object.entries(value).filter(([key]) => !OWN_FIELDS.has(key)))
    const { storage_only: storageOnly, as_of: asOf, from_owner: fromOwner, record_kind: recordKind, ...record } = shown
    // In an export line, `kind` is `record`, and `record_kind` has the record's own kind. In a record of a PUT request,
    // `kind` is its own kind.
    const kind = pick(value, 'record_id') === undefined ? pick(value, 'kind') : recordKind
    const projectId = text(value, 'project_id')
    const sourceId = text(value, 'source_id')
    // An exported record without a source was added as a single text.
    const isSingleText = pick(value, 'record_id') !== undefined && sourceId === undefined
    const source = only ?? (isSingleText ? null : (sourceId && sources.get(sourceId)) || (await fallback()))
    const project = projectId && (isWhole ? (projects.get(projectId) ?? projectId) : undefined)
    return {
      line,
      value: { ...record, ...(kind !== undefined && { kind }), project_id: project || null },
      source,
      isStorageOnly: storageOnly === true,
      asOf: moment(asOf),
      isOfOther: pick(value, 'record_id') !== undefined && fromOwner !== true,
    }
  }

  const readDecision = (value: unknown, line: number): ReceivedLine => {
    const { are, type, one, other } = value as Record<string, unknown>
    if ((are !== 'one' && are !== 'two') || !isText(type, TYPE_CHARS_MAX) || !isKeys(one) || !isKeys(other)) {
      return { line, error: NOT_UNDERSTOOD }
    }
    const localKeys = (keys: string[]) => keys.map((key) => key.replace(OF_SOURCE, withSource))
    return {
      line,
      decision: { are, type, one: localKeys(one), other: localKeys(other), actorId: ctx.caller.accountId },
    }
  }
  /** Replaces the source id in a key by the id of the source that the record is imported into. */
  const withSource = (whole: string, before: string, id: string): string => {
    const source = only ?? sources.get(id)
    return source ? `${before}${source.id}:` : whole
  }

  return {
    read: async (value: unknown, line: number) => {
      const kind = text(value, 'external_id') === undefined ? text(value, 'kind') : undefined
      if (kind === 'source') return void (await readSource(value))
      if (kind === 'project') return void (await readProject(value))
      // A decision applies to the whole sandbox, so a caller limited to a project cannot import one.
      if (kind === 'decision') return scope.projectId === null ? readDecision(value, line) : undefined
      if (kind !== undefined && DERIVED.has(kind)) return undefined
      if (typeof value === 'object' && value !== null && number(value, 'external_id') === undefined)
        return recordOf(value, line)
      return { line, value }
    },
  }
}
