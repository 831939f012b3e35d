import { type Accepted, type Job, Type as T } from '@cairnstore/contract'
import { sha256 } from '../../base/digest.ts'
import { Fault } from '../../base/fault.ts'
import { isId } from '../../base/id.ts'
import { oneLine } from '../size-limit.ts'
import { readRecord } from './fetch.ts'
import { outline, type ToolContext, tool } from './tool.ts'

const TOKENS_MAX = 300
const WAIT_SECONDS = 5
const DIGEST_CHARS = 32

/** Prefix of the external id of a note. A digest of the note follows it. */
const EXTERNAL_ID_PREFIX = 'mcp-'

const UNCHANGED = 'Already stored, so nothing changed. A deleted note stays deleted unless it is reworded.'

/** Tool that stores a text as a record. Storing the same text again gives the same record. */
export const remember = tool({
  name: 'remember',
  title: 'Remember',
  description: 'Stores a note for all readers of this sandbox.',
  role: 'editor',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: T.Object(
    {
      text: T.String({ description: 'The note, with full names.' }),
      title: T.Optional(T.String()),
      about: T.Optional(T.String({ description: 'People or things, by name.' })),
      occurred_at: T.Optional(T.String({ description: 'YYYY-MM-DD.' })),
    },
    { additionalProperties: false },
  ),
  output: outline({ job_id: 'string' }),
  tokensMax: () => TOKENS_MAX,
  run: async ({ ctx, endpoint }, { text, title: given, about, occurred_at }) => {
    // The title includes the subject, because records are found by names in their title and text.
    const title = [given, about].filter(Boolean).join(' · ')
    const digest = sha256(JSON.stringify([text, title, occurred_at ?? ''])).toString('hex')
    const body = {
      text,
      source_type: 'note',
      external_id: `${EXTERNAL_ID_PREFIX}${digest.slice(0, DIGEST_CHARS)}`,
      ...(title && { title }),
      ...(occurred_at && { occurred_at }),
      ...(endpoint.project && { project_id: endpoint.project }),
    }
    const job = await ctx.call('ingest', { body, wait: { seconds: WAIT_SECONDS, isForVectors: false } })
    const { job_id, status } = job
    const record_id = ('result' in job && job.result?.record_id) || undefined
    const outcome = describeJob(job)
    return {
      text: `${outcome} (${record_id ?? job_id})`,
      structured: { job_id, ...(record_id && { record_id }), status, said: outcome },
    }
  },
})

function describeJob(job: Accepted | Job): string {
  if ('result' in job && job.result?.unchanged) return UNCHANGED
  if (job.status === 'completed') return 'Stored; it can be found now.'
  if (job.status !== 'failed') return 'Stored; it can be found shortly.'
  return `Not stored: ${('error_message' in job && job.error_message) || 'the job failed'}.`
}

const TITLE_CHARS_MAX = 80

/** Tool that deletes a note that `remember` stored, by its id or by the id of its job. */
export const forget = tool({
  name: 'forget',
  title: 'Forget',
  description: 'Deletes a note stored by `remember`.',
  role: 'editor',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: T.Object({ id: T.String(), reason: T.String() }, { additionalProperties: false }),
  output: outline({ record_id: 'string' }),
  tokensMax: () => TOKENS_MAX,
  run: async (using, { id: given, reason }) => {
    const id = isId('job', given) ? await recordOf(using, given) : given
    const record = await readRecord(using, id)
    if (record.source_id || !record.external_id?.startsWith(EXTERNAL_ID_PREFIX)) {
      throw new Fault('forbidden', {
        detail: 'Only notes stored by remember can be deleted here; this is another record.',
      })
    }
    await using.ctx.call('deleteRecord', { params: { record_id: id } })
    const title = oneLine(record.title || record.text || '', TITLE_CHARS_MAX)
    const why = oneLine(reason, TITLE_CHARS_MAX)
    return { text: `Deleted: ${title} (${id}), because: ${why}`, structured: { record_id: id, title, reason: why } }
  },
})

/** Returns the id of the record that a job of `remember` stored. */
async function recordOf({ ctx }: ToolContext, jobId: string): Promise<string> {
  const { result, status } = await ctx.call('getJob', { params: { job_id: jobId } })
  if (result?.record_id) return result.record_id
  const isUnderWay = status === 'queued' || status === 'processing'
  throw new Fault(isUnderWay ? 'unavailable' : 'not_found', {
    detail: isUnderWay ? 'The note is not stored yet. Try again in a few seconds.' : 'This job stored no note.',
  })
}
