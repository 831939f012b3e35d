import type { Accepted, Job, SessionMessage, SessionMessages } from '@cairnstore/contract'
import { sha256 } from '../base/digest.ts'
import { Fault } from '../base/fault.ts'
import { ofSandbox } from '../db/of-sandbox.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import type { Reply, Wait } from '../tenancy/handler.ts'
import { takeRecords } from '../tenancy/limits/rates.ts'
import { projectStatus } from '../tenancy/projects/store.ts'
import { assertBelow, assertWritable } from '../tenancy/sandboxes/assert-writable.ts'
import type { IngestCtx } from './context.ts'
import { type ReceiveContext, receive } from './receive.ts'
import { type ReceivedLine, type ReceivingSource, receivingSource } from './receiving-source.ts'

/** Number of characters of the digest in the id of a message that has no id of its own. */
const DIGEST_CHARS = 16

/**
 * Stores messages of a session as records. The external id of a message does not change, so a repeated message changes
 * nothing.
 */
export async function takeMessages(
  ctx: ReceiveContext,
  access: AccessScope,
  body: SessionMessages,
  wait: Wait,
): Promise<Reply<Accepted | Job>> {
  const { source, projectId } = await resolveTextTarget(ctx, access, body)
  const lines = linesOf(body, ctx.clock.now())
  await assertStorageLeft(ctx, access)
  await takeRecords(ctx, access, lines.length)
  return receive(ctx, { access, source, jobType: 'messages', wait, projectId }, lines)
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
      // Messages that arrive together keep their order.
      occurred_at: createdAt ?? new Date(now.getTime() + index).toISOString(),
      author: name ?? (role === 'assistant' ? { type: 'agent', name: role } : null),
      properties: { session, role },
    }
    return [{ line: index + 1, value: record, ...(!createdAt && { isTimeAssumed: true as const }) }]
  })
}

/**
 * Returns the external id of a message. It consists of its session and its own id. If it has none, a digest of its
 * content and its position are used.
 */
function externalId(session: string, { id, role, name, content }: SessionMessage, index: number): string {
  // The length prevents collisions between the ids of sessions and of messages.
  const prefix = `session/${session.length}:${session}`
  if (id) return `${prefix}/id/${id}`
  const digest = sha256(JSON.stringify([role, name ?? null, content]))
    .toString('hex')
    .slice(0, DIGEST_CHARS)
  // The position comes last, so that records with equal times are sorted by it.
  return `${prefix}/at/${digest}/${index}`
}

/**
 * Returns the source of a text, if any, and its project. For a grant on a project, this project is the default. Throws
 * `not_found` for a source or project outside the access scope, `project_archived`, `source_not_active` and
 * `sandbox_not_active`.
 */
export async function resolveTextTarget(
  ctx: Pick<ReceiveContext, 'sql'>,
  access: AccessScope,
  given: { project_id?: string | null; data_source_id?: string | null },
): Promise<{ source: ReceivingSource | null; projectId: string | null }> {
  assertWritable(access)
  const projectId = given.project_id ?? access.projectId
  if (access.projectId && projectId !== access.projectId) throw new Fault('not_found')
  if (projectId) {
    const status = await projectStatus(ctx, access, projectId)
    if (!status) throw new Fault('not_found', { detail: 'project_id is not a project of this sandbox.' })
    if (status === 'archived') throw new Fault('project_archived')
  }
  return { source: given.data_source_id ? await receivingSource(ctx, access, given.data_source_id) : null, projectId }
}

/**
 * Throws `quota_exceeded` or `memory_max` if the sandbox is full, so that a text is rejected early. It checks only the
 * committed state. The exact limits are enforced when the batch is applied.
 */
export async function assertStorageLeft(
  ctx: Pick<IngestCtx, 'knowledge' | 'limits' | 'sql'>,
  { holderId, sandboxId, tier }: AccessScope,
): Promise<void> {
  if (ctx.knowledge.graphs.growthOf({ sandboxId }).records === 0) throw new Fault('memory_max')
  const head = await ctx.sql.transact(holderId, (tx) =>
    tx
      .selectFrom('sandbox_head')
      .select(['record_count', 'content_bytes'])
      .where(ofSandbox({ holderId, sandboxId }))
      .executeTakeFirst(),
  )
  const { max_records: records, max_storage_bytes: bytes } = ctx.limits[tier]
  assertBelow(records, head?.record_count ?? 0, 'records')
  assertBelow(bytes, head?.content_bytes ?? 0, 'bytes of content')
}
