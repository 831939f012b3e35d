import type { ReceivedLine, ReceivingSource } from '../../ingest/receiving-source.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import { NOT_UNDERSTOOD } from '../connectors/export-reader.ts'
import { moment, number, pick, text } from '../connectors/pick.ts'
import type { Ctx } from '../context.ts'
import { projectFor, sourceFor } from './import-places.ts'

/** Sources and projects that one export brings. */
const PLACES_MAX = 10_000
/** Fields that the service itself gives a record. */
const OWN_FIELDS = new Set([
  'kind',
  'record_id',
  'sandbox_id',
  'source_id',
  'canonical_ids',
  'created_at',
  'updated_at',
])
/** Lines of an export that follow from its records. */
const DERIVED = new Set(['export', 'entity'])

/** Where a key names the record that it is of, or that a name stands in. */
const OF_SOURCE = /^(ref:|name:[^:@]*@ref:)([^:]+):/
/** Keys of one thing: as many names and identifiers as it keeps. */
const KEYS_MAX = 512

/** A key is no longer than the longest identifier or name with its kind and source before it. */
const KEY_CHARS_MAX = 8_192
const TYPE_CHARS_MAX = 255

function isText(value: unknown, charsMax: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= charsMax
}

function isKeys(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > KEYS_MAX) return false
  return value.every((key) => isText(key, KEY_CHARS_MAX))
}

/** Whether a value is a line of `GET …/export`, or a record as it is put. */
export function isCairnLine(value: unknown): boolean {
  const kind = text(value, 'kind')
  if (kind !== undefined && text(value, 'external_id') === undefined) return KINDS.has(kind)
  return text(value, 'external_id') !== undefined && text(value, 'type') !== undefined
}

const KINDS = new Set(['record', 'source', 'project', 'decision', ...DERIVED])

/** Takes the lines of an export one by one; one that says nothing by itself comes to nothing. */
interface CairnReader {
  read(value: unknown, line: number): Promise<ReceivedLine | undefined>
}

/**
 * Reads what `GET …/export` wrote: sources and projects are found by their names or made, records go to those of
 * theirs, what people decided of things holds for those of the records, and entities follow. With `only`, every record
 * goes to that source and names no project.
 */
export function openCairnLines(
  ctx: Pick<Ctx, 'caller' | 'clock' | 'limits' | 'sql'>,
  reach: Reach,
  { only, fallback }: { only: ReceivingSource | undefined; fallback: () => Promise<ReceivingSource> },
): CairnReader {
  const sources = new Map<string, ReceivingSource>()
  const projects = new Map<string, string>()
  const names = new Map<string, number>()
  const isWhole = only === undefined && reach.projectId === null

  const readSource = async (value: unknown) => {
    const id = text(value, 'source_id')
    const [provider, name] = [text(value, 'provider'), text(value, 'name')]
    if (only || !id || !provider || !name || sources.has(id) || sources.size >= PLACES_MAX) return
    const called = JSON.stringify([provider, name])
    const nth = names.get(called) ?? 0
    names.set(called, nth + 1)
    sources.set(id, await sourceFor(ctx, reach, { provider, name, nth }))
  }
  const readProject = async (value: unknown) => {
    const [id, name] = [text(value, 'project_id'), text(value, 'name')]
    if (!isWhole || !id || !name || projects.size >= PLACES_MAX) return
    const linked = (pick(value, 'data_source_ids') ?? []) as unknown[]
    const sourceIds = linked.flatMap((one) => sources.get(String(one))?.id ?? [])
    const metadata = (pick(value, 'metadata') ?? {}) as Record<string, unknown>
    const exported = { name, description: text(value, 'description') ?? null, metadata, sourceIds }
    projects.set(id, await projectFor(ctx, reach, exported))
  }
  const recordOf = async (value: object, line: number): Promise<ReceivedLine> => {
    const shown = Object.fromEntries(Object.entries(value).filter(([key]) => !OWN_FIELDS.has(key)))
    const { storage_only: storageOnly, as_of: asOf, from_owner: fromOwner, record_kind: told, ...record } = shown
    // A line of an export says by `kind` that it is a record; one as it is put, what the record is to people.
    const kind = pick(value, 'record_id') === undefined ? pick(value, 'kind') : told
    const projectId = text(value, 'project_id')
    const sourceId = text(value, 'source_id')
    // An exported record without a source was a text that was put in by itself.
    const isLoose = pick(value, 'record_id') !== undefined && sourceId === undefined
    const source = only ?? (isLoose ? null : (sourceId && sources.get(sourceId)) || (await fallback()))
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
    const here = (keys: string[]) => keys.map((key) => key.replace(OF_SOURCE, withSource))
    return { line, decision: { are, type, one: here(one), other: here(other), actorId: ctx.caller.accountId } }
  }
  /** The key of a record, or of a name within one, under the source that the record comes to. */
  const withSource = (whole: string, before: string, id: string): string => {
    const source = only ?? sources.get(id)
    return source ? `${before}${source.id}:` : whole
  }

  return {
    read: async (value, line) => {
      const kind = text(value, 'external_id') === undefined ? text(value, 'kind') : undefined
      if (kind === 'source') return void (await readSource(value))
      if (kind === 'project') return void (await readProject(value))
      // A decision holds in the whole sandbox, so who is limited to a project brings none.
      if (kind === 'decision') return reach.projectId === null ? readDecision(value, line) : undefined
      if (kind !== undefined && DERIVED.has(kind)) return undefined
      if (typeof value === 'object' && value !== null && number(value, 'external_id') === undefined)
        return recordOf(value, line)
      return { line, value }
    },
  }
}
