import type { View } from '@cairnstore/engine/tables'
import { DuckDBInstance } from '@duckdb/node-api'
import { checkSelect } from '../written/check-select.ts'
import { loadView } from './load-view.ts'
import { parse, type Selected, select } from './select.ts'

/** Memory that the rows of one query and its computation may take; there is no disk to spill to. */
const MEMORY_LIMIT = '256MB'
/** One computation runs beside everything else that the process does. */
const THREADS = '1'
/** A computation over the rows of one sandbox takes milliseconds; one that takes longer is given up. */
const TIMEOUT_MS = 2_000
/** Computations at one time, so that their memory stays below 512 MB and threads are left for files. */
const AT_ONCE_MAX = 2
/** Further ones wait, which is a few seconds at most for the last of so many. */
const WAITING_MAX = 16

const BUSY = 'The query was not run: too many are being computed. Ask again in a moment.'

/** DuckDB in memory, with no way to files, network or extensions: it computes over the rows that it is given. */
interface Calculator {
  /**
   * The rows of a query that somebody else wrote, over the given views under the names of their types and columns
   * alone; or why it was not run, also when it takes longer than 2 s or more than 256 MB. Every query has an engine of
   * its own, which holds the views that it reads and ends with it, so that no engine ever holds the rows of two scopes.
   */
  select(views: readonly View[], text: string): Promise<Selected>
}

/** A calculator without an engine: each query opens its own. */
export function createCalculator(): Calculator {
  const waiting: (() => void)[] = []
  let working = 0
  return {
    async select(views, text) {
      if (working >= AT_ONCE_MAX) {
        if (waiting.length >= WAITING_MAX) return { refused: BUSY }
        await new Promise<void>((resolve) => waiting.push(resolve))
      } else {
        working += 1
      }
      try {
        return await selectAlone(views, text)
      } finally {
        // Whoever waits takes the place over, so that nobody comes between.
        const next = waiting.shift()
        if (next) next()
        else working -= 1
      }
    },
  }
}

async function selectAlone(views: readonly View[], text: string): Promise<Selected> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: THREADS,
    memory_limit: MEMORY_LIMIT,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    enable_external_access: 'false',
    lock_configuration: 'true',
  })
  try {
    const connection = await instance.connect()
    const checked = checkSelect(await parse(connection, text), new Set(views.map(({ type }) => type)))
    if ('refused' in checked) return checked
    for (const read of checked.reads) await loadView(connection, views.find(({ type }) => type === read)!)
    const timer = setTimeout(() => connection.interrupt(), TIMEOUT_MS)
    try {
      return await select(connection, text, checked.constants)
    } finally {
      clearTimeout(timer)
    }
  } catch {
    // What the engine says quotes the query and its values; the caller sees the query itself.
    return { refused: 'The query could not be computed over the rows, or not in time.' }
  } finally {
    instance.closeSync()
  }
}
