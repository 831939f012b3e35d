import type { RecordBatch } from 'apache-arrow'

/** Maximum number of datasets to track, at a few hundred bytes each. */
const DATASETS_MAX = 4_096
/** Maximum number of version changes to remember per dataset. Reads from an older version scan the dataset. */
const STEPS_MAX = 64
/** Maximum bytes of appended rows in memory, for all datasets. Other rows are read from the store. */
const CACHED_BYTES_MAX = 32 * 2 ** 20

/** A change of a dataset's version by a commit or compaction of this process. Versions are as in the head. */
interface Step {
  readonly from: number
  readonly to: number
  readonly rows: number
  /** True if no other writer can have appended rows between the two versions. */
  readonly isWhole: boolean
  /** The appended rows, until they are read. */
  appended?: RecordBatch | undefined
}

/** The state of a dataset at its last read. */
interface Tip {
  readonly version: number
  readonly seq: number
  /** Row number that the next appended row is expected to get. */
  readonly nextRow: number
  /** True if `nextRow` is certain, because the last appended row was found with the number before it. */
  readonly isExact: boolean
}

/** The rows that were appended between two versions of a dataset. */
interface TailRows {
  /** Row number of the first one. */
  readonly nextRow: number
  readonly count: number
  /** The rows in order, if all are in memory and their row numbers are certain. */
  readonly appended: readonly RecordBatch[] | undefined
  /** True if no other writer can have appended rows between the two versions. */
  readonly isWhole: boolean
}

interface Tail {
  readonly steps: Step[]
  tip?: Tip
  prunedAtMs?: number
  /** Number of rows that are left in old versions because they were rewritten, and the first of these versions. */
  garbage?: { readonly version: number; readonly rows: number }
}

/**
 * Predicts the row numbers of new rows, from the last read and the rows that commits of this process have appended
 * since. Reading rows by number is ten times faster than a scan. The caller must verify a prediction. While predictions
 * are correct and no other process writes, appended rows are also kept in memory, and need not be read at all. In
 * addition, counts the garbage in old versions.
 */
export type Tails = ReturnType<typeof createTails>

/** Creates an LRU cache of the tails of datasets. */
export function createTails() {
  const tails = new Map<string, Tail>()
  const touch = (dataset: string): Tail => {
    const tail = tails.get(dataset) ?? { steps: [] }
    tails.delete(dataset)
    tails.set(dataset, tail)
    for (const [oldest, { steps }] of tails) {
      if (tails.size <= DATASETS_MAX) break
      for (const step of steps) drop(step)
      tails.delete(oldest)
    }
    return tail
  }
  const { add, drop } = createRowCache()
  return {
    /** Adds a version change by a commit or compaction of this process. */
    addStep(dataset: string, step: Step) {
      const { steps, tip } = touch(dataset)
      const own = { ...step }
      steps.push(own)
      // Rows can be used only if their row numbers are certain.
      if (tip?.isExact) add(own)
      else own.appended = undefined
      if (steps.length > STEPS_MAX) drop(steps.shift())
    },
    /** Sets the state of the last read: all rows up to commit `seq` have been read. */
    setTip(dataset: string, tip: Tip) {
      const tail = touch(dataset)
      tail.tip = tip
      // Rows that were committed during the read stay in memory for the next one.
      const last = tail.steps.findIndex(({ to }) => to === tip.version)
      for (const step of tail.steps.slice(0, last + 1)) drop(step)
    },
    /** Drops the datasets whose keys (`datasetKey`) have this prefix. */
    forget(prefix: string) {
      for (const [dataset, { steps }] of tails) {
        if (!dataset.startsWith(prefix)) continue
        for (const step of steps) drop(step)
        tails.delete(dataset)
      }
    },
    /** Sets the Unix time of the last prune. */
    notePrune(dataset: string, atMs: number) {
      touch(dataset).prunedAtMs = atMs
    },
    /** Resets the garbage counts after all versions before this one were deleted. */
    clearGarbage(dataset: string, version: number) {
      touch(dataset).garbage = { version, rows: 0 }
    },
    /** Adds rewritten rows, which are left in old versions. `version` is the first of these versions. */
    addGarbage(dataset: string, version: number, rows: number) {
      const tail = touch(dataset)
      tail.garbage = { version: tail.garbage?.version ?? version, rows: (tail.garbage?.rows ?? 0) + rows }
    },
    /** Returns the counts of garbage rows and of old versions before this version, by this process's changes only. */
    garbageOf(dataset: string, version: number) {
      const { garbage } = tails.get(dataset) ?? {}
      return { rows: garbage?.rows ?? 0, versions: garbage ? version - garbage.version : 0 }
    },
    /** Returns the Unix time, in milliseconds, of the last prune by this process. 0 if there was none. */
    prunedAtMs: (dataset: string) => tails.get(dataset)?.prunedAtMs ?? 0,
    /** Returns the rows appended after the last read, at `seq`, up to this version. Undefined if they are unknown. */
    rowsSince(dataset: string, seq: number, version: number): TailRows | undefined {
      const { steps, tip } = tails.get(dataset) ?? {}
      if (!steps || tip?.seq !== seq) return undefined
      let count = 0
      let at = version
      let isWhole = true
      const appended: RecordBatch[] = []
      for (let i = steps.length - 1; i >= 0 && at !== tip.version; i--) {
        const step = steps[i]!
        if (step.to !== at) continue
        count += step.rows
        isWhole &&= step.isWhole
        if (step.appended) appended.unshift(step.appended)
        at = step.from
      }
      if (at !== tip.version) return undefined
      const isCached = tip.isExact && isWhole && appended.reduce((rows, batch) => rows + batch.numRows, 0) === count
      return { nextRow: tip.nextRow, count, appended: isCached ? appended : undefined, isWhole }
    },
  }
}

/** Creates a cache of the appended rows of the latest steps of all datasets. */
function createRowCache() {
  const cached = new Map<Step, number>()
  let cachedBytes = 0
  const drop = (step: Step | undefined): void => {
    if (!step) return
    cachedBytes -= cached.get(step) ?? 0
    cached.delete(step)
    step.appended = undefined
  }
  const add = (step: Step): void => {
    if (!step.appended) return
    const bytes = bytesOf(step.appended)
    cached.set(step, bytes)
    cachedBytes += bytes
    for (const oldest of cached.keys()) {
      if (cachedBytes <= CACHED_BYTES_MAX) break
      drop(oldest)
    }
  }
  return { add, drop }
}

function bytesOf({ data }: RecordBatch): number {
  return data.children.reduce((bytes, { byteLength }) => bytes + byteLength, 0)
}
