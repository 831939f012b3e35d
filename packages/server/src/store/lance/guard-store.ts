import { setMaxListeners } from 'node:events'
import { Fault } from '../../base/fault.ts'
import { type BreakerCounts, BUCKETS, Fenced, HeadGone, type SandboxStore } from '../port.ts'
import type { SandboxFolder } from './sandbox-folder.ts'

/** Milliseconds to wait for a call or for a batch of a stream. Lance itself would try six times. */
const READ_MS_MAX = 20_000
/** Milliseconds for a commit, which must end before its lease does. */
const COMMIT_MS_MAX = 45_000
/** Milliseconds for which a breaker stays open after a failure. Calls then fail at once instead of timing out. */
const OPEN_MS = 1_000
/** Maximum number of remembered breakers. */
const BREAKERS_MAX = 4_096
/** Maximum number of characters of a store's error message in the log. */
const MESSAGE_CHARS_MAX = 600

/** Runs one call of a store with a time limit in milliseconds. */
export type Guard = <T>(limitMs: number, work: () => Promise<T>) => Promise<T>

/**
 * Returns a guard for a folder in an object store, with a circuit breaker. Failures and timeouts become
 * `storage_unavailable`, without credentials in the message. After a failure, `reopen` drops the connection. A call
 * that timed out may still complete in Lance. A later writer handles its commit like an interrupted one. All waiting
 * ends when `closing` is aborted.
 */
export function remoteGuard(
  folder: SandboxFolder,
  { breakers, closing }: { breakers: CircuitBreakers; closing: AbortSignal },
  reopen: () => void,
): Guard {
  return async (limitMs, work) => {
    if (!breakers.allowsCalls(folder.uri)) throw new Fault('storage_unavailable')
    try {
      return await callWithin({ folder, limitMs, closing }, work)
    } catch (error) {
      if (error instanceof HeadGone || error instanceof Fenced) throw error
      // The connection may use an access key that is no longer valid.
      reopen()
      breakers.trip(folder.uri)
      throw error
    }
  }
}

/** Runs work on a local folder. Disk errors become `unavailable`. */
export const diskGuard: Guard = async (_limitMs, work) => {
  try {
    return await work()
  } catch (error) {
    if (!isDiskError(error)) throw error
    throw new Fault('unavailable', { note: 'the disk of the data folder cannot be read or written', cause: error })
  }
}

/** Disk errors, as reported by Lance and by Node. A missing file (os error 2) is not one. */
const OS_ERROR = /\bos error (?!2\))\d+\)/
const NODE_ERRORS = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENODEV', 'ESTALE']

function isDiskError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '' } = error as NodeJS.ErrnoException
  return NODE_ERRORS.includes(code) || OS_ERROR.test(error.message)
}

/** Wraps a store so that each call, and each batch of a stream, runs under the guard. */
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
        // Not awaited, because it waits for a running call to Lance.
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
    compact: call(store.compact, NO_LIMIT),
    purge: call(store.purge, NO_LIMIT),
    sweep: call(store.sweep, NO_LIMIT),
    writeSegment: call(store.writeSegment, COMMIT_MS_MAX),
    readSegment: call(store.readSegment),
    removeSegments: call(store.removeSegments),
    countRows: call(store.countRows),
    count: call(store.count),
    findNewest: call(store.findNewest, NO_LIMIT),
    recordIdsOf: call(store.recordIdsOf),
  }
}

/** Circuit breakers by folder URI. An open breaker fails all calls to its store. */
type CircuitBreakers = ReturnType<typeof createCircuitBreakers>

/** Creates the breakers, all closed. `isPlatforms` returns true for a URI in the platform's bucket. */
export function createCircuitBreakers(isPlatforms: (uri: string) => boolean) {
  const untilMs = new Map<string, number>()
  const tripped = { platform: 0, own: 0 }
  const bucketOf = (uri: string) => (isPlatforms(uri) ? 'platform' : 'own')
  return {
    allowsCalls: (uri: string) => performance.now() >= (untilMs.get(uri) ?? 0),
    trip: (uri: string) => {
      untilMs.set(uri, performance.now() + OPEN_MS)
      tripped[bucketOf(uri)] += 1
      const [oldest] = untilMs.keys()
      if (untilMs.size > BREAKERS_MAX && oldest !== undefined) untilMs.delete(oldest)
    },
    reset: (uri: string) => void untilMs.delete(uri),
    counts: (): BreakerCounts[] => {
      const nowMs = performance.now()
      const open = [...untilMs].filter(([, ms]) => ms > nowMs).map(([uri]) => bucketOf(uri))
      return BUCKETS.map((bucket) => ({
        bucket,
        open: open.filter((each) => each === bucket).length,
        opened: tripped[bucket],
      }))
    },
  }
}

/** No overall limit for work that copies a whole sandbox. Each of its requests has its own limit. */
const NO_LIMIT = Number.POSITIVE_INFINITY

/** Folder, time limit in milliseconds and abort signal of work on an object store. */
interface CallBounds {
  folder: SandboxFolder
  limitMs: number
  /** Aborted when all waiting must end. */
  closing: AbortSignal
}

/** Runs work on an object store. Throws `storage_unavailable`, without credentials, or Fenced or HeadGone. */
export async function callWithin<T>({ folder, limitMs, closing }: CallBounds, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let abort = () => {}
  try {
    closing.throwIfAborted()
    return await Promise.race([
      work(),
      new Promise<never>((_, reject) => {
        abort = () => reject(new Error('the call was canceled because the process is stopping'))
        // Turns off Node's warning about more than ten listeners: many calls wait at once, and each removes its own.
        setMaxListeners(0, closing)
        closing.addEventListener('abort', abort)
        const timeOut = () => reject(new Error(`no answer within ${limitMs} ms`))
        if (limitMs !== NO_LIMIT) timer = setTimeout(timeOut, limitMs)
      }),
    ])
  } catch (error) {
    if (error instanceof Fenced) throw error
    const cause = new Error(redactSecrets(String((error instanceof HeadGone ? error.cause : error) ?? error), folder))
    throw error instanceof HeadGone
      ? new HeadGone(error.message, { cause })
      : new Fault('storage_unavailable', { note: 'an object store failed', cause })
  } finally {
    clearTimeout(timer)
    closing.removeEventListener('abort', abort)
  }
}

/** Removes credentials from a message, because stores quote requests in their error messages. */
function redactSecrets(message: string, { options }: SandboxFolder): string {
  const { accessKeyId = '', secretAccessKey = '' } = options
  const secrets = [accessKeyId, secretAccessKey].filter((secret) => secret !== '')
  return secrets.reduce((text, secret) => text.replaceAll(secret, '…'), message).slice(0, MESSAGE_CHARS_MAX)
}
