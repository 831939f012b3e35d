import type { RecordBatch } from 'apache-arrow'

/** Datasets whose tail is remembered: a few hundred bytes each. */
const DATASETS_MAX = 4_096
/** Steps remembered of one dataset: a reader further behind scans. */
const STEPS_MAX = 64

/** Rows that were appended and no reader has had yet, of all datasets: what is over it is read back from the store. */
const KEPT_BYTES_MAX = 32 * 2 ** 20

interface Step {
  readonly from: number
  readonly to: number
  readonly rows: number
  /** Whether the rows are sure to be all that was ever appended after `from`. */
  readonly isWhole: boolean
  /** The rows, until a reader has had them. */
  appended?: RecordBatch | undefined
}

interface Tip {
  readonly version: number
  readonly seq: number
  readonly nextRow: number
  /** Whether the next row gets that number for sure: the last one to be appended has been seen under the one before. */
  readonly isSure: boolean
}

/** The rows between two versions of a dataset. */
interface TailRows {
  /** The number of the first of them. */
  readonly nextRow: number
  readonly count: number
  /** The rows themselves, in their order, where they are kept and their numbers are sure. */
  readonly appended: readonly RecordBatch[] | undefined
  /** Whether these are sure to be all that was ever appended after the first number. */
  readonly isWhole: boolean
}

interface Tail {
  readonly steps: Step[]
  tip?: Tip
  prunedAtMs?: number
  /** Rows that merges left in old versions, and the version since which there are some. */
  left?: { readonly version: number; readonly rows: number }
}

/**
 * What this process knows of the ends of datasets: how many rows each of its own commits appended, and which row
 * number came next when it last read. With both it reads the rows of a new commit by number, in a tenth of the time
 * of a scan for them. Only a guess: whoever reads by it checks what comes back. Where it was right, and nobody else has
 * written since, the rows are kept until they are asked for, and nothing need be read.
 */
export interface Tails {
  /** A commit or upkeep of this process led from one head version of the dataset to the next. */
  stepped(dataset: string, step: Step): void
  /** A reader has everything up to `seq` at this version, and the next row appended gets this number. */
  read(dataset: string, tip: Tip): void
  /** First number and count of the rows appended from the seq that was read last to this version, when known. */
  rowsSince(dataset: string, seq: number, version: number): TailRows | undefined
  /** Drops what is known of datasets whose names begin so. */
  forget(prefix: string): void
  /** Old versions were removed at this time. */
  pruned(dataset: string, atMs: number): void
  /** They were all old enough to go: what is left begins at this version. */
  cleared(dataset: string, version: number): void
  /** So many rows were written anew since this version, and lie in old ones too. */
  leave(dataset: string, version: number, rows: number): void
  /** What old versions hold that this process has seen made: rows, and how many versions. */
  leftBy(dataset: string, version: number): { rows: number; versions: number }
  /** When this process last removed old versions; 0 when it is not known. */
  prunedAtMs(dataset: string): number
}

/** Tails of the datasets used last. */
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
  const { keep, letGo } = createKeptRows()
  return {
    stepped(dataset, step) {
      const { steps, tip } = touch(dataset)
      const own = { ...step }
      steps.push(own)
      // Without a reader that is sure of its place the rows are of no use.
      if (tip?.isSure) keep(own)
      else own.appended = undefined
      if (steps.length > STEPS_MAX) letGo(steps.shift())
    },
    read(dataset, tip) {
      const tail = touch(dataset)
      tail.tip = tip
      // What was committed while it read is kept for the next time.
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
    pruned(dataset, atMs) {
      touch(dataset).prunedAtMs = atMs
    },
    cleared(dataset, version) {
      touch(dataset).left = { version, rows: 0 }
    },
    leave(dataset, version, rows) {
      const tail = touch(dataset)
      tail.left = { version: tail.left?.version ?? version, rows: (tail.left?.rows ?? 0) + rows }
    },
    leftBy(dataset, version) {
      const { left } = tails.get(dataset) ?? {}
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
      const isKept = tip.isSure && isWhole && appended.reduce((rows, batch) => rows + batch.numRows, 0) === count
      return { nextRow: tip.nextRow, count, appended: isKept ? appended : undefined, isWhole }
    },
  }
}

/** Which steps keep their rows: the latest, of all datasets together. */
function createKeptRows() {
  const kept = new Map<Step, number>()
  let keptBytes = 0
  const letGo = (step: Step | undefined): void => {
    if (!step) return
    keptBytes -= kept.get(step) ?? 0
    kept.delete(step)
    step.appended = undefined
  }
  const keep = (step: Step): void => {
    if (!step.appended) return
    const bytes = bytesOf(step.appended)
    kept.set(step, bytes)
    keptBytes += bytes
    for (const oldest of kept.keys()) {
      if (keptBytes <= KEPT_BYTES_MAX) break
      letGo(oldest)
    }
  }
  return { keep, letGo }
}

function bytesOf({ data }: RecordBatch): number {
  return data.children.reduce((bytes, { byteLength }) => bytes + byteLength, 0)
}
