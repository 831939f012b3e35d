import type { RecordBatch } from 'apache-arrow'

/** Maximum number of datasets with a known tail, at a few hundred bytes each. */
const DATASETS_MAX = 4_096
/** Maximum number of steps per dataset. A read from further back scans. */
const STEPS_MAX = 64

/** Bytes of appended rows, over all datasets, that are kept for the next read. Others are read back from the store. */
const CACHED_BYTES_MAX = 32 * 2 ** 20

interface Step {
  readonly from: number
  readonly to: number
  readonly rows: number
  /** True if the rows are certainly all that was appended after `from`. */
  readonly isWhole: boolean
  /** The rows, until they have been read. */
  appended?: RecordBatch | undefined
}

interface Tip {
  readonly version: number
  readonly seq: number
  readonly nextRow: number
  /** True if the next row certainly gets that number, because the last appended row was seen under the previous one. */
  readonly isExact: boolean
}

/** The rows between two versions of a dataset. */
interface TailRows {
  /** The number of the first of them. */
  readonly nextRow: number
  readonly count: number
  /** The rows in order, if they are in memory and their numbers are certain. */
  readonly appended: readonly RecordBatch[] | undefined
  /** True if these are certainly all rows that were appended after the first number. */
  readonly isWhole: boolean
}

interface Tail {
  readonly steps: Step[]
  tip?: Tip
  prunedAtMs?: number
  /** Rows that merges left in old versions, and the first such version. */
  garbage?: { readonly version: number; readonly rows: number }
}

/**
 * The known ends of datasets: the number of rows that each commit of this process appended, and the next row number at
 * the last read. With both, the rows of a new commit are read by number, ten times faster than by a scan. The numbers
 * are a guess that the caller verifies. If a guess was right and nobody else has written since, appended rows stay in
 * memory and nothing need be read.
 */
export interface Tails {
  /** Notes that a commit or compaction of this process led from one version of the dataset to the next. */
  addStep(dataset: string, step: Step): void
  /** Notes that everything up to `seq` was read at this version, and the number of the next appended row. */
  setTip(dataset: string, tip: Tip): void
  /** Returns the rows that were appended between the last read `seq` and this version, if known. */
  rowsSince(dataset: string, seq: number, version: number): TailRows | undefined
  /** Drops the datasets whose names have this prefix. */
  forget(prefix: string): void
  /** Notes when old versions were removed. */
  notePrune(dataset: string, atMs: number): void
  /** Notes that all old versions were removed. What remains begins at this version. */
  clearGarbage(dataset: string, version: number): void
  /** Notes rows that were rewritten since this version and are also in old versions. */
  addGarbage(dataset: string, version: number, rows: number): void
  /** Returns the numbers of rows in old versions, and of old versions, that this process has seen. */
  garbageOf(dataset: string, version: number): { rows: number; versions: number }
  /** Returns when this process last removed old versions, in milliseconds. 0 if unknown. */
  prunedAtMs(dataset: string): number
}

/** Creates the tails, with the most recently used datasets. */
export function createTails(): Tails {
  const tails = new Map<string, Tail>()
  const touch = (dataset: string): Tail => {
    const tail = tails.get(dataset) ?? { steps: [] }
    tails.delete(dataset)
    tails.set(dataset, tail)
    for (const [oldest, { steps }] of tails) {
      if (tails.size <= DATASETS_MAX) break
      for (const step of steps) letGo(step)
      tails.delete(oldest)
    }
    return tail
  }
  const { keep, letGo } = createRowCache()
  return {
    addStep(dataset, step) {
      const { steps, tip } = touch(dataset)
      const own = { ...step }
      steps.push(own)
      // Rows are useless unless their numbers are certain.
      if (tip?.isExact) keep(own)
      else own.appended = undefined
      if (steps.length > STEPS_MAX) letGo(steps.shift())
    },
    setTip(dataset, tip) {
      const tail = touch(dataset)
      tail.tip = tip
      // Rows that were committed during the read are kept for the next one.
      const last = tail.steps.findIndex(({ to }) => to === tip.version)
      for (const step of tail.steps.slice(0, last + 1)) letGo(step)
    },
    forget(prefix) {
      for (const [dataset, { steps }] of tails) {
        if (!dataset.startsWith(prefix)) continue
        for (const step of steps) letGo(step)
        tails.delete(dataset)
      }
    },
    notePrune(dataset, atMs) {
      touch(dataset).prunedAtMs = atMs
    },
    clearGarbage(dataset, version) {
      touch(dataset).garbage = { version, rows: 0 }
    },
    addGarbage(dataset, version, rows) {
      const tail = touch(dataset)
      tail.garbage = { version: tail.garbage?.version ?? version, rows: (tail.garbage?.rows ?? 0) + rows }
    },
    garbageOf(dataset, version) {
      const { garbage: left } = tails.get(dataset) ?? {}
      return { rows: left?.rows ?? 0, versions: left ? version - left.version : 0 }
    },
    prunedAtMs: (dataset) => tails.get(dataset)?.prunedAtMs ?? 0,
    rowsSince(dataset, seq, version) {
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

/** Keeps the rows of the latest steps in memory, over all datasets. */
function createRowCache() {
  const cached = new Map<Step, number>()
  let cachedBytes = 0
  const drop = (step: Step | undefined): void => {
    if (!step) return
    cachedBytes -= cached.get(step) ?? 0
    cached.delete(step)
    step.appended = undefined
  }
  const keep = (step: Step): void => {
    if (!step.appended) return
    const bytes = bytesOf(step.appended)
    cached.set(step, bytes)
    cachedBytes += bytes
    for (const oldest of cached.keys()) {
      if (cachedBytes <= CACHED_BYTES_MAX) break
      drop(oldest)
    }
  }
  return { keep, letGo: drop }
}

function bytesOf({ data }: RecordBatch): number {
  return data.children.reduce((bytes, { byteLength }) => bytes + byteLength, 0)
}
