import { setMaxListeners } from 'node:events'
import { Fault } from '../../base/fault.ts'
import { type BreakerCounts, BUCKETS } from '../breakers.ts'
import { Fenced, HeadGone, type SandboxStore } from '../port.ts'
import type { SandboxFolder } from './sandbox-folder.ts'

/** Milliseconds to wait for one part of a result. Lance itself tries an unresponsive store six times. */
const READ_MS_MAX = 20_000
/** Milliseconds for a commit, which must end before its lease does. */
const COMMIT_MS_MAX = 45_000
/**
 * Milliseconds for which calls fail at once after a failure. Waiting callers then do not time out one after the other.
 */
const COOL_MS = 1_000
/** Maximum number of stores with a remembered failure. */
const OUTAGES_MAX = 4_096
/** Characters of a store's error message that are kept for diagnosis. */
const MESSAGE_CHARS_MAX = 600

/** Runs one call of a store with a time limit in milliseconds. */
export type Guard = <T>(limitMs: number, work: () => Promise<T>) => Promise<T>

/**
 * Returns a guard for a folder in an object store, with a circuit breaker. Failures and timeouts become
 * `storage_unavailable`, without credentials in the message. After a failure `reopen` drops the connection. Work that
 * Lance has begun may still complete; a later writer treats it like the leftovers of a crash. All waiting ends when
 * `closing` is aborted.
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
      // The connection may use an access key that is no longer valid.
      reopen()
      outages.began(folder.uri)
      throw error
    }
  }
}

/** Runs work on a folder of this machine. Disk errors become `unavailable`, since the work itself is not at fault. */
export const diskGuard: Guard = async (_limitMs, work) => {
  try {
    return await work()
  } catch (error) {
    if (!isRefusedByDisk(error)) throw error
    throw new Fault('unavailable', { note: 'the disk of the data folder cannot be read or written', cause: error })
  }
}

/** Operating system errors as Node and Lance name them. A missing file is not a disk error. */
const OS_ERROR = /\bos error (?!2\))\d+\)/
const NODE_ERRORS = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENODEV', 'ESTALE']

function isRefusedByDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return NODE_ERRORS.includes(code) || OS_ERROR.test(error.message)
}

/** Returns the same store with every call under a guard. */
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
        // Not awaited: it ends when Lance does.
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

/** Circuit breakers by folder URI. An open breaker fails all calls to its store. */
interface Outages {
  isOver(uri: string): boolean
  began(uri: string): void
  ended(uri: string): void
  counts(): BreakerCounts[]
}

/** Creates the breakers, all closed. `isPlatforms` returns true for a URI in the platform's bucket. */
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

/** No overall limit for work that copies a whole sandbox. Each of its requests has its own limit. */
const ENDLESS = Number.POSITIVE_INFINITY

/** Folder, time limit in milliseconds and abort signal of work on an object store. */
export interface Bounds {
  folder: SandboxFolder
  limitMs: number
  /** Aborted when all waiting must end. */
  closing: AbortSignal
}

/** Runs work on an object store. Throws Fault or Fenced, without credentials in the message. */
export async function guarded<T>({ folder, limitMs, closing }: Bounds, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let giveUp = () => {}
  try {
    closing.throwIfAborted()
    return await Promise.race([
      work(),
      new Promise<never>((_, reject) => {
        giveUp = () => reject(new Error('the call was canceled because the process is stopping'))
        // Many calls wait at once. Node warns of a leak from the eleventh listener on, but each call removes its own.
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

/** Removes credentials: stores repeat requests in their error messages. */
function clean(message: string, { options }: SandboxFolder): string {
  const { accessKeyId = '', secretAccessKey = '' } = options
  const secrets = [accessKeyId, secretAccessKey].filter((secret) => secret !== '')
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message).slice(0, MESSAGE_CHARS_MAX)
}
