import type { IngestText, ingestOperations, messageOperations } from '@cairnstore/contract'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/id.ts'
import type { AccessScope } from '../tenancy/access/access-scope.ts'
import { getProfile } from '../tenancy/accounts/profile.ts'
import type { Line, Wait } from '../tenancy/handler.ts'
import { takeRecords } from '../tenancy/limits/rates.ts'
import type { IngestHandlers } from './context.ts'
import { findJob, listJobs } from './jobs.ts'
import { type ReceiveContext, receive } from './receive.ts'
import { receivingSource } from './receiving-source.ts'
import { assertStorageLeft, resolveTextTarget, takeMessages } from './take-messages.ts'

export const handlers: IngestHandlers<typeof ingestOperations & typeof messageOperations> = {
  ingest: (ctx, { access, body, wait }) => ingestText(ctx, access, body, wait),

  ingestPrimary: async (ctx, { access, body, wait }) => {
    const profile = await getProfile(ctx)
    // A connection's key belongs to one sandbox. The default project may be in another one.
    const project = profile.sandbox_id === access.sandboxId ? profile.project_id : null
    return ingestText(ctx, access, { ...body, project_id: body.project_id ?? project ?? null }, wait)
  },

  putMessages: (ctx, { access, body, wait }) => takeMessages(ctx, access, body, wait),

  getJob: async (ctx, { access, params }) => {
    const job = await findJob(ctx, access, params.job_id)
    if (!job) throw new Fault('not_found')
    return job
  },

  listJobs: (ctx, { access, query }) => listJobs(ctx, access, query),

  putRecords: async (ctx, { access, params, body, lines, wait }) => {
    const source = await receivingSource(ctx, access, params.source_id)
    const isStream = lines !== undefined
    if (!isStream) await takeRecords(ctx, access, body?.records.length ?? 0)
    const delivery = { access, source, jobType: 'records', wait, projectId: null, isStream }
    return receive(ctx, delivery, lines ?? numbered(body?.records ?? []))
  },
}

/** Stores a text as one record. If the external id is omitted, creates one. */
async function ingestText(ctx: ReceiveContext, access: AccessScope, body: IngestText, wait: Wait) {
  const { source, projectId } = await resolveTextTarget(ctx, access, body)
  await assertStorageLeft(ctx, access)
  await takeRecords(ctx, access, 1)
  const isStorageOnly = body.storage_only === true
  const delivery = { access, source, jobType: 'ingest', wait, projectId, isStorageOnly }
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
