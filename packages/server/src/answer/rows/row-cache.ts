import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { observeViews, titleOf, typesNamed, type View } from '@cairnstore/engine/tables'
import { createYieldPoint } from '../../base/yield-point.ts'
import type { Ground } from '../../store/ground.ts'
import type { RecordText } from '../../store/port.ts'
import { createNames, namesOf, parseRecord, resolveThings } from '../../store/read-records.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { ContentSeal } from '../../tenancy/caller-keys/content-seal.ts'
import { createCalculator, type Selected } from './duckdb/calculator.ts'
import { openViews, type SealedViews, sealViews } from './sealed-views.ts'

/** The typed rows of one scope at one head. */
interface ScopeRows {
  views: View[]
  /** Runs a query that somebody else wrote over the views as they are shown, and over nothing else. */
  select(shown: readonly View[], text: string): Promise<Selected>
}

/** The typed rows of the scopes that are asked about, by head. */
export interface RowCache {
  /** Works on the rows of the scope at the view's head, or tells why there are none. */
  use<T>(
    view: SandboxView,
    ground: Ground,
    asked: RowsAsked,
    work: (rows: ScopeRows) => Promise<T>,
  ): Promise<T | { refused: string }>
  close(): void
}

/** A whole sandbox of so many is typed in a second, so many records of some types in ten. */
const TYPED_MAX: TypedMax = { whole: 20_000, named: 200_000 }
/** How long a question waits for the rows of a large sandbox, which are typed on without it. */
const WAIT_MS = 8_000
/** Cells of all scopes together that are kept for the next question: some 100 MB. */
const CELLS_MAX = 2_000_000
/** Rows that nobody has asked about for so long are dropped, so that what was erased is in no memory for longer. */
const IDLE_MS = 30_000
const SCAN_ROWS = 500

/** Typed rows between two questions: under a caller's key sealed, so that only a request that brings it reads them. */
interface Kept {
  rows: View[] | SealedViews
  cells: number
}

interface CachedViews {
  kept: Promise<Kept>
  cells: number
  users: number
  usedAtMs: number
}

/** An empty cache; DuckDB is opened by each query that somebody else wrote, for as long as that runs. */
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
  const make = (key: string, load: NamedRows['load'], seal: ContentSeal | undefined): CachedViews => {
    const kept = keep(key, load, seal)
    // Whoever asked may not wait for them; they are kept for the next one from when they are there.
    const entry: CachedViews = { kept, cells: 0, users: 1, usedAtMs: 0 }
    const done = () => {
      entry.users -= 1
      entry.usedAtMs = performance.now()
    }
    kept.then(done, () => {
      done()
      if (entries.get(key) === entry) entries.delete(key)
    })
    return entry
  }
  const open = (key: string, load: NamedRows['load'], seal: ContentSeal | undefined): CachedViews => {
    const entry = entries.get(key) ?? make(key, load, seal)
    entries.delete(key)
    entries.set(key, entry)
    return entry
  }
  return {
    async use(view, ground, asked, work) {
      const isWhole = view.graph.recordCount <= max.whole
      const source = isWhole
        ? { key: keyOf(view, ground), load: () => load(view, ground) }
        : namedRows(view, ground, asked, max)
      if ('refused' in source) return source
      const { key } = source
      const entry = open(key, source.load, view.seal)
      entry.users += 1
      entry.usedAtMs = performance.now()
      try {
        if (!isWhole) {
          asked.onWait()
          if (!(await isDoneIn(entry.kept, WAIT_MS))) return { refused: NOT_YET }
        }
        const { rows, cells } = await entry.kept
        entry.cells = cells
        return await work({
          views: 'pieces' in rows ? openViews(view.seal!, rows) : rows,
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

function keyOf(view: SandboxView, { scope }: Ground): string {
  const { seq, recordsVersion, entitiesVersion, linksVersion, keyEpoch } = view.head
  const within = scope && [scope.projectId, scope.sourceIds && [...scope.sourceIds].sort()]
  // Versions count within one build of a sandbox, which the cache key of a row begins with.
  return JSON.stringify([view.cacheKey(0), seq, recordsVersion, entitiesVersion, linksVersion, keyEpoch, within])
}

const NOT_YET = 'The rows of this sandbox are still being typed; ask again in a moment.'

/** Whether the work is done within the time; throws what it throws by then. */
async function isDoneIn(work: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController()
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, { signal: waiting.signal })])
  } finally {
    waiting.abort()
  }
}

async function keep(key: string, load: NamedRows['load'], seal: ContentSeal | undefined): Promise<Kept> {
  const views = await load()
  return { rows: seal ? await sealViews(seal, key, views) : views, cells: cellsOf(views) }
}

async function load(view: SandboxView, { scope }: Ground): Promise<View[]> {
  const records: ReadRecord[] = []
  for await (const batch of view.store.scanRecords(view.head, { batchRows: SCAN_ROWS })) {
    for (const row of batch) {
      if (view.graph.hasRecord(row.id, scope)) records.push(resolveThings(view, parseRecord(row)))
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return observeViews(records, namesOf(records), createYieldPoint(TYPING_SLICE_MS))
}

function cellsOf(views: readonly View[]): number {
  return views.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0)
}

/** How many records are typed. */
interface TypedMax {
  /** A sandbox of more is not typed as a whole, only the types that a question names. */
  whole: number
  /** Of those types. */
  named: number
}

/** Who asks for rows, as far as it decides what is typed in a large sandbox. */
interface RowsAsked {
  /** The question and those before it. */
  texts: readonly string[]
  /** Whether nothing but rows may answer: a large sandbox is typed for no other question. */
  isWanted: boolean
  /** Called before the rows of a large sandbox are waited for. */
  onWait(): void
}

/** Rows that a question can be answered from: what they are kept under, and how they are typed. */
interface NamedRows {
  key: string
  load(): Promise<View[]>
}

/** The rows of a large sandbox of the types that a question names, or why there are none. */
function namedRows(
  view: SandboxView,
  { scope }: Ground,
  asked: RowsAsked,
  max: TypedMax,
): NamedRows | { refused: string } {
  const { graph, seal } = view
  const isLarge = `In a sandbox of more than ${max.whole} records`
  // Under a caller's key the types are not known without the content.
  if (seal) return { refused: `${isLarge} under a caller’s key no rows are typed.` }
  if (!asked.isWanted) return { refused: `${isLarge} rows are typed for the preset \`sql\` alone.` }
  const types = typesNamed(graph.typesIn(scope), asked.texts)
  if (types.size === 0) return { refused: `${isLarge} a question for rows names their kind, as “issues” does.` }
  const { ids, version } = graph.recordsOfTypes(types, scope)
  if (ids.length > max.named) return { refused: `There are more than ${max.named} records of the kinds it names.` }
  const within = scope && [scope.projectId, scope.sourceIds && [...scope.sourceIds].sort()]
  // Versions count within one build of a sandbox, which the cache key of a row begins with.
  return {
    key: JSON.stringify([view.cacheKey(0), 'types', version, [...types], within]),
    load: () => loadTypes(view, ids),
  }
}

/** Records read at once. */
const READ_ROWS = 500
/** Other work waits at most so long while records are read. */
const SLICE_MS = 5

/** Typing lets other work in after so long. */
const TYPING_SLICE_MS = 10

/** Types some records; of each it keeps what rows are made of, which the text is not. */
async function loadTypes(view: SandboxView, ids: readonly string[]): Promise<View[]> {
  const { head, store } = view
  const rows = ids.flatMap((id) => view.rowOf(id) ?? []).sort((one, other) => one - other)
  const records: ReadRecord[] = []
  const names = createNames()
  const breathe = createYieldPoint(SLICE_MS)
  const read = (from: number) => store.recordsAt(head, rows.slice(from, from + READ_ROWS))
  let next: Promise<Map<string, RecordText>> = read(0)
  for (let from = 0; from < rows.length; from += READ_ROWS) {
    const batch = await next
    // The next ones are read while these are parsed; a failure is told when its turn comes.
    next = read(from + READ_ROWS)
    next.catch(() => undefined)
    for (const row of batch.values()) {
      const record = withoutText(resolveThings(view, parseRecord(row)))
      names.add(record)
      records.push(record)
      await breathe()
    }
  }
  return observeViews(records, names.found(), createYieldPoint(TYPING_SLICE_MS))
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
