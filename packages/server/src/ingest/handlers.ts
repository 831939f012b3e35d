import type { IngestText, ingestOperations, messageOperations } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/id.ts'
import { getProfile } from '../tenancy/accounts/profile.ts'
import type { Line, Wait } from '../tenancy/handler.ts'
import { takeRecords } from '../tenancy/limits/rates.ts'
import type { Reach } from '../tenancy/reach/reach.ts'
import type { IngestHandlers } from './context.ts'
import { findJob, listJobs } from './jobs.ts'
import { type ReceiveCtx, receive } from './receive.ts'
import { receivingSource } from './receiving-source.ts'
import { assertStorageLeft, resolveTextTarget, takeMessages } from './take-messages.ts'

export const handlers: IngestHandlers<typeof ingestOperations & typeof messageOperations> = {
  ingest: (ctx, { reach, body, wait }) => ingestText(ctx, reach, body, wait),

  ingestPrimary: async (ctx, { reach, body, wait }) => {
    const profile = await getProfile(ctx)
    // A connection's key works in its own sandbox, which the default project need not belong to.
    const project = profile.sandbox_id === reach.sandboxId ? profile.project_id : null
    return ingestText(ctx, reach, { ...body, project_id: body.project_id ?? project ?? null }, wait)
  },

  putMessages: (ctx, { reach, body, wait }) => takeMessages(ctx, reach, body, wait),

  getJob: async (ctx, { reach, params }) => {
    const job = await findJob(ctx, reach, params.job_id)
    if (!job) throw new Fault('not_found')
    return job
  },

  listJobs: (ctx, { reach, query }) => listJobs(ctx, reach, query),

  putRecords: async (ctx, { reach, params, body, lines, wait }) => {
    const source = await receivingSource(ctx, reach, params.source_id)
    const isStream = lines !== undefined
    if (!isStream) await takeRecords(ctx, reach, body?.records.length ?? 0)
    const delivery = { access: reach, source, jobType: 'records', wait, projectId: null, isStream }
    return receive(ctx, delivery, lines ?? numbered(body?.records ?? []))
  },
}

/** Stores a text as one record. Creates its external id if omitted. */
async function ingestText(ctx: ReceiveCtx, access: Reach, body: IngestText, wait: Wait) {
  const { source, projectId } = await resolveTextTarget(ctx, access, body)
  await assertStorageLeft(ctx, access)
  await takeRecords(ctx, access, 1)
  const isStorageOnly = body.storage_only === true
  const delivery = { access: access, source, jobType: 'ingest', wait, projectId, isStorageOnly }
  const record = {
    external_id: body.external_id ?? newId('record', ctx.clock),
    type: body.source_type || 'text',
    title: body.title ?? null,
    text: body.text,
    occurred_at: body.occurred_at ?? ctx.clock.now().toISOString(),
    author: body.author || body.speaker || null,
    participants: body.participants ?? null,
  }
  return receive(ctx, delivery, numbered([record]))
}

function numbered(values: readonly unknown[]): Line[] {
  return values.map((value, index) => ({ line: index + 1, value }))
}
