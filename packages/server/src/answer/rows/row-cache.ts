import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { buildViews, titleOf, typesNamed, type View } from '@cairnstore/engine/tables'
import { createYieldPoint } from '../../base/yield-point.ts'
import { createNameCollector, namesOf, parseRecord, resolveMentions } from '../../store/read-records.ts'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import { readWindows } from '../../store/read-windows.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import { createCalculator, type Selected } from './duckdb/calculator.ts'
import { decryptViews, type EncryptedViews, encryptViews } from './encrypted-views.ts'

/** Typed rows of one scope at one head. */
interface ScopeRows {
  views: View[]
  /** Runs an untrusted query over only the given views. */
  select(shown: readonly View[], text: string): Promise<Selected>
}

/** Cache of typed rows, by scope and head. */
export interface RowCache {
  /** Runs `work` on the rows of the scope at the view's head. Returns the reason if there are no rows. */
  use<T>(
    view: SandboxView,
    snapshot: ReadSnapshot,
    asked: RowsRequest,
    work: (rows: ScopeRows) => Promise<T>,
  ): Promise<T | { refused: string }>
  close(): void
}

/** Maximum number of records that are typed: of all types (about one second), or of the named types (about ten). */
const TYPED_MAX: TypedMax = { whole: 20_000, named: 200_000 }
/** Maximum milliseconds that a question waits for the rows of a large sandbox. Typing continues afterwards. */
const WAIT_MS = 8_000
/** Maximum cached cells of all scopes, about 100 MB. */
const CELLS_MAX = 2_000_000
/** Milliseconds until unused rows are dropped. Erased content stays in memory at most this long. */
const IDLE_MS = 30_000
const SCAN_ROWS = 500

/** Cached rows. With a customer-managed key they are encrypted, so that only requests with the key can read them. */
interface CachedRows {
  rows: View[] | EncryptedViews
  cells: number
}

interface CachedViews {
  loading: Promise<CachedRows>
  cells: number
  users: number
  usedAtMs: number
}

/** Creates an empty cache. DuckDB is opened only while an untrusted query runs. */
export function createRowCache(max: TypedMax = TYPED_MAX): RowCache {
  const entries = new Map<string, CachedViews>()
  const calculator = createCalculator()
  const evict = () => {
    let cells = [...entries.values()].reduce((sum, entry) => sum + entry.cells, 0)
    for (const [key, entry] of entries) {
      const isIdle = performance.now() - entry.usedAtMs > IDLE_MS
      if (entry.users > 0 || (cells <= CELLS_MAX && !isIdle)) continue
      cells -= entry.cells
      entries.delete(key)
    }
  }
  const timer = setInterval(evict, IDLE_MS).unref()
  const make = (key: string, load: NamedRows['load'], seal: ContentCipher | undefined): CachedViews => {
    const loading = loadCached(key, load, seal)
    // Loading counts as a use, because the requester may stop waiting. The idle time starts after loading.
    const entry: CachedViews = { loading, cells: 0, users: 1, usedAtMs: 0 }
    const done = () => {
      entry.users -= 1
      entry.usedAtMs = performance.now()
    }
    loading.then(done, () => {
      done()
      if (entries.get(key) === entry) entries.delete(key)
    })
    return entry
  }
  const open = (key: string, load: NamedRows['load'], seal: ContentCipher | undefined): CachedViews => {
    const entry = entries.get(key) ?? make(key, load, seal)
    entries.delete(key)
    entries.set(key, entry)
    return entry
  }
  return {
    async use(view, snapshot, asked, work) {
      const isWhole = view.graph.recordCount <= max.whole
      const source = isWhole
        ? { key: keyOf(view, snapshot), load: () => load(view, snapshot) }
        : namedRows(view, snapshot, asked, max)
      if ('refused' in source) return source
      const { key } = source
      const entry = open(key, source.load, view.seal)
      entry.users += 1
      entry.usedAtMs = performance.now()
      try {
        if (!isWhole) {
          asked.onWait()
          if (!(await finishesWithin(entry.loading, WAIT_MS))) return { refused: STILL_TYPING }
        }
        const { rows, cells } = await entry.loading
        entry.cells = cells
        return await work({
          views: 'segments' in rows ? decryptViews(view.seal!, rows) : rows,
          select: calculator.select,
        })
      } finally {
        entry.users -= 1
        evict()
      }
    },
    close() {
      clearInterval(timer)
      entries.clear()
    },
  }
}

function keyOf(view: SandboxView, { scope }: ReadSnapshot): string {
  const { seq, recordsVersion, entitiesVersion, linksVersion, keyEpoch } = view.head
  const within = scope && [scope.projectId, scope.sourceIds && [...scope.sourceIds].sort()]
  // Version numbers are unique only within one load of a sandbox, which `cacheKey` identifies.
  return JSON.stringify([view.cacheKey(0), seq, recordsVersion, entitiesVersion, linksVersion, keyEpoch, within])
}

const STILL_TYPING = 'The typed rows of this sandbox are still being prepared. Ask again in a moment.'

/** Returns true if the work completes in time. If it fails before that, throws its error. */
async function finishesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController()
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, { signal: waiting.signal })])
  } finally {
    waiting.abort()
  }
}

async function loadCached(key: string, load: NamedRows['load'], seal: ContentCipher | undefined): Promise<CachedRows> {
  const views = await load()
  return { rows: seal ? await encryptViews(seal, key, views) : views, cells: cellsOf(views) }
}

async function load(view: SandboxView, { scope }: ReadSnapshot): Promise<View[]> {
  const records: ReadRecord[] = []
  for await (const batch of view.store.scanRecords(view.head, { batchRows: SCAN_ROWS })) {
    for (const row of batch) {
      if (view.graph.hasRecord(row.id, scope)) records.push(resolveMentions(view, parseRecord(row)))
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return buildViews(records, namesOf(records), createYieldPoint(TYPING_SLICE_MS))
}

function cellsOf(views: readonly View[]): number {
  return views.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0)
}

/** Limits on the number of records that are converted to rows. */
interface TypedMax {
  /** Maximum sandbox size for using all records. Above it, only record types that a question names are used. */
  whole: number
  /** Maximum number of records of the named types. */
  named: number
}

/** A question about rows, with options for a large sandbox. */
interface RowsRequest {
  /** Texts of the question and the earlier ones. */
  texts: readonly string[]
  /** True if only rows may answer the question. Rows of a large sandbox are loaded only in this case. */
  isWanted: boolean
  /** Called before waiting for the rows of a large sandbox. */
  onWait(): void
}

/** Cache key and loader of the rows for a question. */
interface NamedRows {
  key: string
  load(): Promise<View[]>
}

/** Returns the rows of a large sandbox for the record types that a question names, or the reason why there are none. */
function namedRows(
  view: SandboxView,
  { scope }: ReadSnapshot,
  asked: RowsRequest,
  max: TypedMax,
): NamedRows | { refused: string } {
  const { graph, seal } = view
  const isLarge = `In a sandbox of more than ${max.whole} records`
  // Under a customer-managed key, types are known only after decryption.
  if (seal) return { refused: `${isLarge} with a customer-managed key, typed rows are not available.` }
  if (!asked.isWanted) return { refused: `${isLarge} typed rows are available only with the preset \`sql\`.` }
  const types = typesNamed(graph.typesIn(scope), asked.texts)
  if (types.size === 0) return { refused: `${isLarge} a question about rows must name their kind, such as “issues”.` }
  const { ids, version } = graph.recordsOfTypes(types, scope)
  if (ids.length > max.named) return { refused: `There are more than ${max.named} records of these kinds.` }
  const within = scope && [scope.projectId, scope.sourceIds && [...scope.sourceIds].sort()]
  // Version numbers are unique only within one load of a sandbox, which `cacheKey` identifies.
  return {
    key: JSON.stringify([view.cacheKey(0), 'types', version, [...types], within]),
    load: () => loadTypes(view, ids),
  }
}

/** Milliseconds of reading before yielding to other work. */
const SLICE_MS = 5

/** Milliseconds of typing before yielding to other work. */
const TYPING_SLICE_MS = 10

/** Converts records to rows. Keeps only the fields that rows use, without the text. */
async function loadTypes(view: SandboxView, ids: readonly string[]): Promise<View[]> {
  const { head, store } = view
  const rows = ids.flatMap((id) => view.rowOf(id) ?? []).sort((one, other) => one - other)
  const records: ReadRecord[] = []
  const names = createNameCollector()
  const yieldIfDue = createYieldPoint(SLICE_MS)
  const read = async (part: readonly number[]) => {
    const result = [...(await store.recordsAt(head, part)).values()]
    return { result, bytes: result.reduce((sum, { content }) => sum + content.length, 0) }
  }
  for await (const batch of readWindows(rows, read)) {
    for (const row of batch) {
      const record = withoutText(resolveMentions(view, parseRecord(row)))
      names.add(record)
      records.push(record)
      await yieldIfDue()
    }
  }
  return buildViews(records, names.found(), createYieldPoint(TYPING_SLICE_MS))
}

function withoutText(record: ReadRecord): ReadRecord {
  const { type, external_id, title, text, occurred_at, properties, provider } = record.content
  const shown = titleOf(title ?? text ?? external_id)
  return {
    ...record,
    content: {
      type,
      external_id,
      title: shown,
      provider,
      ...(occurred_at !== undefined && { occurred_at }),
      ...(properties !== undefined && { properties }),
    },
  }
}
