import { isShared, type NumberTable, sharedLike } from './number-tables.ts'
import type { GraphStore } from './store.ts'

/** An object that holds arrays, by name. */
type Holder = Record<string, unknown>

/**
 * Replaces the arrays of a graph by copies in shared memory, one array per step. The graph may change between two
 * steps. When a shared array grows, its longer copy is shared too.
 */
export function* shareStore(store: GraphStore): Generator<void> {
  // Arrays that were added between two steps are found by another pass.
  for (let isDone = false; !isDone; ) {
    isDone = true
    for (const holder of holdersIn(store)) {
      for (const name of Object.keys(holder)) {
        for (const _ of shareNamed(holder, name)) {
          isDone = false
          yield
        }
      }
    }
  }
}

/** Returns the objects that hold the graph's arrays. Working arrays are left out, because each thread has its own. */
function holdersIn(store: GraphStore): Holder[] {
  const { terms, keys, conversations, manyOwners, runs, vectors, recordTable, entityTable } = store
  const postings = [terms, keys, conversations, manyOwners]
  const all = [store, ...postings, ...postings.map(({ index }) => index), runs, vectors, recordTable, entityTable]
  return (vectors.runs ? [...all, vectors.runs] : all) as unknown as Holder[]
}

const WORKING_ARRAYS: ReadonlySet<string> = new Set<keyof GraphStore>(['unitSums'])

function* shareNamed(holder: Holder, name: string): Generator<void> {
  const value = holder[name]
  if (isTable(value) && !isShared(value) && !WORKING_ARRAYS.has(name)) {
    holder[name] = sharedCopy(value)
    yield
  }
  if (name !== 'pages') return
  const pages = value as Uint32Array[]
  for (let at = 0; at < pages.length; at += 1) {
    if (isShared(pages[at]!)) continue
    pages[at] = sharedCopy(pages[at]!)
    yield
  }
}

function isTable(value: unknown): value is NumberTable {
  return ArrayBuffer.isView(value)
}

function sharedCopy<T extends NumberTable>(array: T): T {
  const copy = sharedLike(array, array.length)
  copy.set(array)
  return copy
}
