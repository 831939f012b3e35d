import { Type as T } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { isId } from '../../base/id.ts'
import { oneLine } from '../room.ts'
import { readRecord } from './read-record.ts'
import { REMEMBERED } from './remember.ts'
import { outline, tool, type Using } from './tool.ts'

const TOKENS_MAX = 300
const TITLE_CHARS_MAX = 80

/** The id of a note that was kept with `remember`, or of the job that kept it → it is gone. */
export const forget = tool({
  name: 'forget',
  title: 'Forget',
  description: 'Deletes a note that `remember` kept.',
  role: 'editor',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: T.Object({ id: T.String() }, { additionalProperties: false }),
  output: outline({ record_id: 'string' }),
  tokensMax: () => TOKENS_MAX,
  run: async (using, { id: given }) => {
    const id = isId('job', given) ? await recordOf(using, given) : given
    const record = await readRecord(using, id)
    if (record.source_id || !record.external_id?.startsWith(REMEMBERED)) {
      throw new Fault('forbidden', {
        detail: 'Only notes that remember kept are deleted here; this is another record.',
      })
    }
    await using.ctx.call('deleteRecord', { params: { record_id: id } })
    const title = oneLine(record.title || record.text || '', TITLE_CHARS_MAX)
    return { text: `Deleted: ${title} (${id})`, structured: { record_id: id, title } }
  },
})

/** The record that a job of `remember` kept. */
async function recordOf({ ctx }: Using, jobId: string): Promise<string> {
  const { result, status } = await ctx.call('getJob', { params: { job_id: jobId } })
  if (result?.record_id) return result.record_id
  const isUnderWay = status === 'queued' || status === 'processing'
  throw new Fault(isUnderWay ? 'unavailable' : 'not_found', {
    detail: isUnderWay ? 'The note is not kept yet; try again in some seconds.' : 'This job kept no note.',
  })
}
