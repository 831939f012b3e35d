import { oneAtATime } from '../../base/one-at-a-time.ts'
import { takesWork } from '../../base/role.ts'
import type { SafeFetch } from '../../base/safe-fetch.ts'
import type { RandomSource } from '../../sources/polling/due.ts'
import type { Planes } from '../../store/planes.ts'
import type { Deliverer } from '../context.ts'
import { changeMessage, claimMessage, openSigningSecrets, type SendingPlanes } from './claim-message.ts'
import { postMessage } from './post-message.ts'
import { recordAttempt, releaseWebhook } from './record-attempt.ts'
import type { WebhookRef } from './store.ts'
import { dueWebhooks, listDueWebhooks } from './store.ts'

/**
 * Maximum number of endpoints to which one process delivers concurrently. The next constant is the maximum per account,
 * so that slow endpoints of one account do not block others.
 */
const SENDS_MAX = 32
const SENDS_PER_ACCOUNT = 2
/** Number of messages after which another endpoint gets its delivery. */
const MESSAGES_PER_LEASE = 10
/** Milliseconds until a message that could not be composed is retried. The endpoint gets no failure for it. */
const UNAVAILABLE_MS = 5_000

/** Network and randomness for deliveries. */
export interface SendingPort {
  readonly network: SafeFetch
  readonly chance: RandomSource
}

/** Starts the worker. In a process whose role excludes background work, it delivers nothing. */
export function startDeliverer(
  planes: SendingPlanes & Pick<Planes, 'cluster' | 'workPoller'>,
  port: SendingPort,
): Deliverer {
  const stopping = new AbortController()
  const counts = { delivered: 0, failed: 0 }
  const running = new Map<string, { userId: string; delivery: Promise<void> }>()
  let wake = () => {}

  const start = (ref: WebhookRef): void => {
    const delivery = sendMessages(planes, port, ref, counts, stopping.signal)
      .catch((error: unknown) => planes.log.warn('webhook not sent', { webhookId: ref.webhookId, error }))
      .finally(() => {
        running.delete(ref.webhookId)
        wake()
      })
    running.set(ref.webhookId, { userId: ref.userId, delivery })
  }

  const sweep = async (): Promise<void> => {
    if (running.size >= SENDS_MAX) return
    for (const ref of await listDueWebhooks(planes, SENDS_MAX * SENDS_PER_ACCOUNT, SENDS_PER_ACCOUNT)) {
      const ofAccount = [...running.values()].filter(({ userId }) => userId === ref.userId)
      const isFree = running.size < SENDS_MAX && ofAccount.length < SENDS_PER_ACCOUNT
      if (isFree && !running.has(ref.webhookId)) start(ref)
    }
  }

  const sweeping = oneAtATime(
    () => (stopping.signal.aborted ? Promise.resolve() : sweep()),
    (error) => planes.log.warn('webhook sweep failed', { error }),
  )
  if (takesWork(planes.cluster.role)) {
    wake = sweeping.begin
    planes.workPoller.watch((tx) => dueWebhooks(tx, planes), wake)
    wake()
  }
  return {
    wake: () => wake(),
    read: () => Object.entries(counts).map(([outcome, count]) => ({ outcome, count })),
    stop: async () => {
      stopping.abort()
      await sweeping.ended
      await Promise.all([...running.values()].map(({ delivery }) => delivery))
    },
  }
}

/** Delivers pending messages to an endpoint until one fails, none is left or the limit is reached. */
async function sendMessages(
  planes: SendingPlanes,
  { network, chance }: SendingPort,
  ref: WebhookRef,
  counts: { delivered: number; failed: number },
  stopping: AbortSignal,
): Promise<void> {
  for (let sent = 0; sent < MESSAGES_PER_LEASE && !stopping.aborted; sent += 1) {
    const taken = await claimMessage(planes, ref)
    if (taken === 'idle') return
    if (taken === 'skipped') continue
    try {
      const secrets = await openSigningSecrets(planes, ref, taken.row)
      const body = JSON.stringify(await changeMessage(planes, ref, taken.head, taken.pending))
      const message = { id: taken.messageId, at: planes.clock.now(), body }
      const post = () => postMessage(network, taken.row.url, message, secrets, stopping)
      const posted = await planes.observe('webhook.send', post)
      await recordAttempt(planes, ref, taken, posted, chance)
      counts[posted.reason === null ? 'delivered' : 'failed'] += 1
      if (posted.reason !== null) return
    } catch (error) {
      await releaseWebhook(planes, ref, taken, stopping.aborted ? 0 : UNAVAILABLE_MS)
      if (!stopping.aborted) throw error
    }
  }
}
