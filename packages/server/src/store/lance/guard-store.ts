import { setMaxListeners } from 'node:events'
import { Fault } from '../../base/fault.ts'
import { type BreakerCounts, BUCKETS } from '../breakers.ts'
import { Fenced, HeadGone, type SandboxStore } from '../port.ts'
import type { SandboxFolder } from './sandbox-folder.ts'

/** How long a caller waits for one piece of an answer: Lance asks a silent store six times over. */
const READ_MS_MAX = 20_000
/** A commit has to be done while its lease lasts. */
const COMMIT_MS_MAX = 45_000
/** After a failure whoever waited for the same store fails at once, instead of one after the other. */
const COOL_MS = 1_000
/** Stores whose failure is remembered. */
const OUTAGES_MAX = 4_096
/** Enough of what a store said to tell what is wrong. */
const MESSAGE_CHARS_MAX = 600

/** Runs one call of a store, which is to be done within so many milliseconds. */
export type Guard = <T>(limitMs: number, work: () => Promise<T>) => Promise<T>

/**
 * For a folder in an object store: whatever goes wrong there is `storage_unavailable`, within a time, and says nothing
 * of what opens the store; afterwards `reopen` lets it be opened anew. What Lance has begun by then may still happen; a
 * writer that comes back finds it like the leftovers of a crash. Nobody waits on once `closing` is aborted.
 */
export function remoteGuard(
  folder: SandboxFolder,
  { outages, closing }: { outages: Outages; closing: AbortSignal },
  reopen: () => void,
): Guard {
  return async (limitMs, work) => {
    if (!outages.isOver(folder.uri)) throw new Fault('storage_unavailable')
    try {
      return await guarded({ folder, limitMs, closing }, work)
    } catch (error) {
      if (error instanceof HeadGone || error instanceof Fenced) throw error
      // What is open may have been opened with an access key that is no more.
      reopen()
      outages.began(folder.uri)
      throw error
    }
  }
}

/** For a folder on this machine: what its disk refuses is `unavailable`, since it says nothing about the work. */
export const diskGuard: Guard = async (_limitMs, work) => {
  try {
    return await work()
  } catch (error) {
    if (!isRefusedByDisk(error)) throw error
    throw new Fault('unavailable', { note: 'the disk of the data folder cannot serve', cause: error })
  }
}

/** How Node and Lance name an error of the operating system. A file that is missing is none of the disk's making. */
const OS_ERROR = /\bos error (?!2\))\d+\)/
const NODE_ERRORS = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENODEV', 'ESTALE']

function isRefusedByDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return NODE_ERRORS.includes(code) || OS_ERROR.test(error.message)
}

/** The same store, with every call of it under a guard. */
export function guardStore(store: SandboxStore, run: Guard): SandboxStore {
  const call =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>, limitMs = READ_MS_MAX) =>
    (...args: A) =>
      run(limitMs, () => method(...args))
  const stream = <A extends unknown[], T>(method: (...args: A) => AsyncGenerator<T>) =>
    async function* (...args: A): AsyncGenerator<T> {
      const parts = method(...args)
      try {
        for (;;) {
          const next = await run(READ_MS_MAX, () => parts.next())
          if (next.done) return
          yield next.value
        }
      } finally {
        // Not waited for: it comes to its end when Lance does.
        parts.return(undefined).catch(() => undefined)
      }
    }
  return {
    commit: call(store.commit, COMMIT_MS_MAX),
    readSince: stream(store.readSince),
    recordsAt: call(store.recordsAt),
    recordsById: call(store.recordsById),
    vectorsAt: call(store.vectorsAt),
    vectorsOf: call(store.vectorsOf),
    entitiesAt: call(store.entitiesAt),
    entitiesById: call(store.entitiesById),
    linksOf: call(store.linksOf),
    linksOfRecords: call(store.linksOfRecords),
    scanRecords: stream(store.scanRecords),
    scanEntities: stream(store.scanEntities),
    scanLinks: stream(store.scanLinks),
    upkeep: call(store.upkeep, ENDLESS),
    purge: call(store.purge, ENDLESS),
    sweep: call(store.sweep, ENDLESS),
    keepPiece: call(store.keepPiece, COMMIT_MS_MAX),
    readPiece: call(store.readPiece),
    removePieces: call(store.removePieces),
    keepUploadPart: call(store.keepUploadPart, COMMIT_MS_MAX),
    readUploadPart: call(store.readUploadPart),
    removeUploadParts: call(store.removeUploadParts),
    countRows: call(store.countRows),
    count: call(store.count),
    findNewest: call(store.findNewest, ENDLESS),
    recordIdsOf: call(store.recordIdsOf),
  }
}

/** Which stores failed a moment ago, by the uri of the folder: until that is over they are asked for nothing. */
interface Outages {
  isOver(uri: string): boolean
  began(uri: string): void
  ended(uri: string): void
  counts(): BreakerCounts[]
}

/** Outages of which none is known yet; it is told of each uri whether it is in the platform's bucket. */
export function createOutages(isPlatforms: (uri: string) => boolean): Outages {
  const untilMs = new Map<string, number>()
  const begun = { platform: 0, own: 0 }
  const bucketOf = (uri: string) => (isPlatforms(uri) ? 'platform' : 'own')
  return {
    isOver: (uri) => performance.now() >= (untilMs.get(uri) ?? 0),
    began: (uri) => {
      untilMs.set(uri, performance.now() + COOL_MS)
      begun[bucketOf(uri)] += 1
      const [oldest] = untilMs.keys()
      if (untilMs.size > OUTAGES_MAX && oldest !== undefined) untilMs.delete(oldest)
    },
    ended: (uri) => void untilMs.delete(uri),
    counts: () => {
      const nowMs = performance.now()
      const open = [...untilMs].filter(([, ms]) => ms > nowMs).map(([uri]) => bucketOf(uri))
      return BUCKETS.map((bucket) => ({
        bucket,
        open: open.filter((each) => each === bucket).length,
        opened: begun[bucket],
      }))
    },
  }
}

/** What copies a whole sandbox takes its time; each of its requests is limited by itself. */
const ENDLESS = Number.POSITIVE_INFINITY

/** Where work on an object store is done, for how many milliseconds it is waited for, and until what. */
export interface Bounds {
  folder: SandboxFolder
  limitMs: number
  /** Aborted when nobody is to wait any longer. */
  closing: AbortSignal
}

/** Runs one piece of work on an object store; what it throws is a Fault or Fenced, and holds no key. */
export async function guarded<T>({ folder, limitMs, closing }: Bounds, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let giveUp = () => {}
  try {
    closing.throwIfAborted()
    return await Promise.race([
      work(),
      new Promise<never>((_, reject) => {
        giveUp = () => reject(new Error('given up, since the process ends'))
        // Many calls wait at once, which Node takes for a leak from the eleventh on; each takes its listener away.
        setMaxListeners(0, closing)
        closing.addEventListener('abort', giveUp)
        const late = () => reject(new Error(`no answer within ${limitMs} ms`))
        if (limitMs !== ENDLESS) timer = setTimeout(late, limitMs)
      }),
    ])
  } catch (error) {
    if (error instanceof Fenced) throw error
    const cause = new Error(clean(String((error instanceof HeadGone ? error.cause : error) ?? error), folder))
    throw error instanceof HeadGone
      ? new HeadGone(error.message, { cause })
      : new Fault('storage_unavailable', { note: 'an object store failed', cause })
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', giveUp)
  }
}

/** Stores repeat in their answers what they were asked with. */
function clean(message: string, { options }: SandboxFolder): string {
  const { accessKeyId = '', secretAccessKey = '' } = options
  const secrets = [accessKeyId, secretAccessKey].filter((secret) => secret !== '')
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message).slice(0, MESSAGE_CHARS_MAX)
}
