import type { Ground } from '../../knowledge/ground.ts'
import { namesOf, parseRecord, type ReadRecord, resolveThings } from '../../knowledge/read-records.ts'
import type { SandboxView } from '../../knowledge/sandbox-view.ts'
import { type Calculator, openCalculator } from './duckdb/calculator.ts'
import type { Selected } from './duckdb/select.ts'
import { observeViews } from './observe-views.ts'
import type { View } from './plan.ts'

/** The typed rows of one scope at one head. */
export interface ScopeRows {
  views: View[]
  /** Runs a query that somebody else wrote over the views as they are shown, and over nothing else. */
  select(shown: readonly View[], text: string): Promise<Selected>
}

/** The typed rows of the scopes that are asked about, by head. */
export interface RowCache {
  /** Works on the rows of the scope at the view's head; undefined when it holds more records than are typed. */
  use<T>(view: SandboxView, ground: Ground, work: (rows: ScopeRows) => Promise<T>): Promise<T | undefined>
  close(): void
}

/** Records that are typed for one question. */
export const TYPED_RECORDS_MAX = 20_000
/** Cells of all scopes together that are kept for the next question: some 200 MB with their table. */
const CELLS_MAX = 2_000_000
/** Rows that nobody has asked about for so long are dropped, so that what was erased is in no memory for longer. */
const IDLE_MS = 30_000
const SCAN_ROWS = 500

interface Entry {
  rows: Promise<{ views: View[]; cells: number }>
  cells: number
  tables: Map<string, Promise<string>>
  users: number
  usedAtMs: number
}

/** An empty cache; DuckDB is opened by the first query that somebody else wrote. */
export function createRowCache(): RowCache {
  const entries = new Map<string, Entry>()
  let opened: Promise<Calculator> | undefined
  const calculator = () => {
    opened ??= openCalculator()
    return opened
  }
  const forget = (key: string, entry: Entry) => {
    entries.delete(key)
    for (const table of entry.tables.values()) {
      // A table that could not be loaded is not there to be dropped.
      table.then(async (name) => (await calculator()).drop(name)).catch(() => undefined)
    }
  }
  const evict = () => {
    let cells = [...entries.values()].reduce((sum, entry) => sum + entry.cells, 0)
    for (const [key, entry] of entries) {
      const isIdle = performance.now() - entry.usedAtMs > IDLE_MS
      if (entry.users > 0 || (cells <= CELLS_MAX && !isIdle)) continue
      cells -= entry.cells
      forget(key, entry)
    }
  }
  const tableOf = (entry: Entry, shown: View): Promise<string> => {
    const { type } = shown
    const table = entry.tables.get(type) ?? calculator().then((each) => each.load(shown))
    entry.tables.set(type, table)
    table.catch(() => entry.tables.delete(type))
    return table
  }
  const timer = setInterval(evict, IDLE_MS).unref()
  const open = (key: string, view: SandboxView, ground: Ground): Entry => {
    const entry = entries.get(key) ?? { rows: load(view, ground), cells: 0, tables: new Map(), users: 0, usedAtMs: 0 }
    entries.delete(key)
    entries.set(key, entry)
    return entry
  }
  return {
    async use(view, ground, work) {
      if (view.graph.recordCount > TYPED_RECORDS_MAX) return undefined
      const key = keyOf(view, ground)
      const entry = open(key, view, ground)
      entry.users += 1
      entry.usedAtMs = performance.now()
      try {
        const { views, cells } = await entry.rows.catch((error: unknown) => {
          entries.delete(key)
          throw error
        })
        entry.cells = cells
        return await work({
          views,
          select: async (shown, text) => {
            // Shown rows are tables beside what plans are computed over.
            entry.cells = cells + cellsOf(shown)
            const loaded = shown.map(async (each) => ({ view: each, table: await tableOf(entry, each) }))
            return (await calculator()).select(await Promise.all(loaded), text)
          },
        })
      } finally {
        entry.users -= 1
        // What was opened with a caller's key is kept for nobody.
        if (view.seal && entry.users === 0) forget(key, entry)
        evict()
      }
    },
    close() {
      clearInterval(timer)
      entries.clear()
      opened?.then((each) => each.close()).catch(() => undefined)
    },
  }
}

function keyOf(view: SandboxView, { scope }: Ground): string {
  const { seq, recordsVersion, entitiesVersion, linksVersion } = view.head
  const within = scope && [scope.projectId, scope.sourceIds && [...scope.sourceIds].sort()]
  // Versions count within one build of a sandbox, which the cache key of a row begins with.
  return JSON.stringify([view.cacheKey(0), seq, recordsVersion, entitiesVersion, linksVersion, within])
}

async function load(view: SandboxView, { scope }: Ground): Promise<{ views: View[]; cells: number }> {
  const records: ReadRecord[] = []
  for await (const batch of view.store.scanRecords(view.head, { batchRows: SCAN_ROWS })) {
    for (const row of batch) {
      if (view.graph.hasRecord(row.id, scope)) records.push(resolveThings(view, parseRecord(row)))
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  const views = await observeViews(records, namesOf(records))
  return { views, cells: cellsOf(views) }
}

function cellsOf(views: readonly View[]): number {
  return views.reduce((sum, { rows, columns }) => sum + rows.length * columns.length, 0)
}
