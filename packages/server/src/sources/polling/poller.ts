import { oneAtATime, repeatedly } from '../../base/one-at-a-time.ts'
import type { Planes } from '../../store/planes.ts'
import { createRetainedKeys } from '../../tenancy/caller-keys/retained-keys.ts'
import type { Poller } from '../context.ts'
import { dueSources, listDue, type PullPlanes } from './pull-run.ts'
import { awaitPullKey, isKeyAwaited, type PullOutcome, type PullPort, runPull } from './run-pull.ts'

/** Milliseconds between releases of keys that no pull needs. */
const KEYS_MS = 1_000
/** Maximum number of concurrent pulls per process. */
const PULLS_MAX = 4
/** Maximum number of sources per sweep that are checked for a missing key. */
const KEYLESS_MAX = 1_000
/** Maximum milliseconds to retain a key for pulls. A longer pull continues when the key is sent again. */
const KEY_MS_MAX = 60 * 60_000

/** Outcomes that are exported as 0 from the start, so that a first failure shows as an increase. */
const COUNTED = ['done', 'failed', 'unfinished', 'lost', 'keyless'] as const

export function startPoller(planes: PullPlanes & Pick<Planes, 'workPoller'>, port: PullPort): Poller {
  const stopping = new AbortController()
  const counts = new Map<PullOutcome, number>(COUNTED.map((outcome) => [outcome, 0]))
  const running = new Map<string, Promise<void>>()
  let wake = () => {}
  const keys = createRetainedKeys(planes.seals, (sandbox) => isKeyAwaited(planes, sandbox), KEY_MS_MAX)

  const start = (ref: Parameters<typeof runPull>[2]): void => {
    const pull = planes
      .observe('source.pull', () => runPull(planes, port, ref, stopping.signal))
      .then((outcome) => {
        if (outcome === 'keyless') keys.release(ref.sandboxId)
        if (outcome !== 'not_due') counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      })
      .catch((error: unknown) => planes.log.warn('pull result not stored', { sourceId: ref.sourceId, error }))
      .finally(() => {
        running.delete(ref.sourceId)
        wake()
      })
    running.set(ref.sourceId, pull)
  }

  /** Sources whose pull waits for a key and whose job is marked accordingly. */
  const keyless = new Set<string>()

  const waitForKeys = async (): Promise<void> => {
    const waiting = new Map((await listDue(planes, KEYLESS_MAX, 'keyless')).map((ref) => [ref.sourceId, ref]))
    for (const sourceId of keyless) if (!waiting.has(sourceId)) keyless.delete(sourceId)
    for (const [sourceId, ref] of waiting) {
      if (keyless.has(sourceId)) continue
      await awaitPullKey(planes, ref)
      keyless.add(sourceId)
      const resume = () => {
        keyless.delete(sourceId)
        keys.retain(ref)
        wake()
      }
      planes.seals.whenHeld(ref.sandboxId, `pull of ${sourceId}`, resume)
      // The key may have arrived since the query.
      if (planes.seals.findAny(ref.sandboxId)) resume()
    }
  }

  const sweep = async (): Promise<void> => {
    await waitForKeys()
    const free = PULLS_MAX - running.size
    if (free <= 0) return
    const due = (await listDue(planes, PULLS_MAX + running.size, 'readable')).filter(
      ({ sourceId }) => !running.has(sourceId),
    )
    for (const ref of due.slice(0, free)) start(ref)
  }

  const sweeping = oneAtATime(
    () => (stopping.signal.aborted ? Promise.resolve() : sweep()),
    (error) => planes.log.warn('poll sweep failed', { error }),
  )
  const failed = (error: unknown) => planes.log.warn('keys not released', { error })
  const releasing = repeatedly(KEYS_MS, keys.releaseIdle, failed)
  wake = sweeping.begin
  planes.workPoller.watch((tx) => dueSources(tx, planes.clock.now()), wake)
  wake()
  return {
    wake: () => wake(),
    retainKey: (sandbox) => keys.retain(sandbox),
    read: () => [...counts].map(([outcome, count]) => ({ outcome, count })),
    stop: async () => {
      stopping.abort()
      await Promise.all([sweeping.ended, releasing.stop()])
      await Promise.all(running.values())
      keys.releaseAll()
    },
  }
}
