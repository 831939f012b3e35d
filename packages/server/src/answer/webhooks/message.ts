import type { Change, WebhookMessage } from '@cairnstore/contract'
import type { Head } from '../../db/head.ts'
import type { Planes } from '../../store/planes.ts'
import type { RawChange } from '../changes/describe-changes.ts'
import { describeChanges, toldChange } from '../changes/describe-changes.ts'
import type { WebhookRef } from './store.ts'

/** Of a title or a name a message has so many characters, and an address that is longer is left out. */
const TITLE_CHARS_MAX = 256
const URL_CHARS_MAX = 2048

/** The message that tells of changes with what is known of them now; under a caller's key with their ids alone. */
export async function changeMessage(
  planes: Pick<Planes, 'knowledge'>,
  ref: WebhookRef,
  head: Head,
  { changes, missed }: { changes: readonly RawChange[]; missed: boolean },
): Promise<WebhookMessage> {
  const told =
    head.keyEpoch === null ? await described(planes, ref, head, changes) : changes.map((raw) => toldChange(raw))
  const timestamp = changes.at(-1)!.changedAt.toISOString()
  return messageOf('sandbox.changed', ref, timestamp, { changes: told, missed })
}

/** The message of a test. */
export function testMessage(ref: WebhookRef, now: Date): WebhookMessage {
  return messageOf('webhook.test', ref, now.toISOString(), { changes: [], missed: false })
}

function messageOf(
  type: WebhookMessage['type'],
  { sandboxId, webhookId }: WebhookRef,
  timestamp: string,
  content: Pick<WebhookMessage['data'], 'changes' | 'missed'>,
): WebhookMessage {
  return { type, timestamp, data: { sandbox_id: sandboxId, webhook_id: webhookId, ...content } }
}

async function described(
  { knowledge }: Pick<Planes, 'knowledge'>,
  { userId, sandboxId }: WebhookRef,
  head: Head,
  changes: readonly RawChange[],
): Promise<Change[]> {
  const view = await knowledge.view({ userId, sandboxId }, head)
  const telling = { view, scope: null, shownSource: (id: string | null) => id }
  const found = await describeChanges(telling, changes, changes.length)
  return found.changes.map(({ change: { title, url, ...change } }) => ({
    ...change,
    ...(title && { title: cut(title) }),
    ...(url && url.length <= URL_CHARS_MAX && { url }),
  }))
}

/** Half of a surrogate pair is no text. */
function cut(title: string): string {
  return title.length <= TITLE_CHARS_MAX ? title : `${title.slice(0, TITLE_CHARS_MAX).replace(/\p{Surrogate}$/u, '')}…`
}
