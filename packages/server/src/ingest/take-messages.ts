import type { Accepted, Job, SessionMessage, SessionMessages } from '@cairnstore/contract'
import { sha256 } from '../base/digest.ts'
import type { Reply, Wait } from '../tenancy/handler.ts'
import { takeRecords } from '../tenancy/limits/rates.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import { assertRoom } from './assert-room.ts'
import { type Receiving, receive } from './receive.ts'
import type { ReceivedLine } from './received-line.ts'
import { textPlace } from './text-place.ts'

/** Digits of a digest that tell messages at one place of a session apart. */
const DIGEST_CHARS = 16

/**
 * Takes in messages of a session, each as a record under an external id that the same message has again: so what was
 * sent before changes nothing, whatever comes with it.
 */
export async function takeMessages(
  ctx: Receiving,
  reach: Reach,
  body: SessionMessages,
  wait: Wait,
): Promise<Reply<Accepted | Job>> {
  const { source, projectId } = await textPlace(ctx, reach, body)
  const lines = linesOf(body, ctx.clock.now())
  await assertRoom(ctx, reach)
  await takeRecords(ctx, reach, lines.length)
  return receive(ctx, { reach, source, jobType: 'messages', wait, projectId }, lines)
}

function linesOf(
  { session_id: session, messages, first_place: first = 0 }: SessionMessages,
  now: Date,
): ReceivedLine[] {
  return messages.flatMap((message, index) => {
    const { content, created_at: createdAt, name, role } = message
    if (!content?.trim()) return []
    const record = {
      external_id: externalId(session, message, first + index),
      type: 'message',
      text: content,
      // Those that came together keep their order.
      occurred_at: createdAt ?? new Date(now.getTime() + index).toISOString(),
      author: name ?? (role === 'assistant' ? { type: 'agent', name: role } : null),
      properties: { session, role },
    }
    return [{ line: index + 1, value: record, ...(!createdAt && { isTimeAssumed: true as const }) }]
  })
}

/** What names a message in its source: its session, and its own id, or else what it says and where. */
function externalId(session: string, { id, role, name, content }: SessionMessage, place: number): string {
  // With its length no id of a session and a message runs into another.
  const prefix = `session/${session.length}:${session}`
  if (id) return `${prefix}/id/${id}`
  const digest = sha256(JSON.stringify([role, name ?? null, content]))
    .toString('hex')
    .slice(0, DIGEST_CHARS)
  // The place comes last: by what stands at the end, records of one moment are in order.
  return `${prefix}/at/${digest}/${place}`
}
