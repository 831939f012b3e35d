import { Type as T } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import { oneLine } from '../room.ts'
import { readRecord } from './read-record.ts'
import { REMEMBERED } from './remember.ts'
import { tool } from './tool.ts'

const TOKENS_MAX = 300
const TITLE_CHARS_MAX = 80

/** The id of a note that was kept with `remember` → it is gone. */
export const forget = tool({
  name: 'forget',
  title: 'Forget',
  description: 'Deletes a note that `remember` kept.',
  role: 'editor',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: T.Object({ id: T.String({ description: 'rec_…' }) }, { additionalProperties: false }),
  tokensMax: () => TOKENS_MAX,
  run: async (using, { id }) => {
    const record = await readRecord(using, id)
    if (record.source_id || !record.external_id?.startsWith(REMEMBERED)) {
      throw new Fault('forbidden', {
        detail: 'Only notes that remember kept are deleted here; this is another record.',
      })
    }
    await using.ctx.call('deleteRecord', { params: { record_id: id } })
    return `Deleted: ${oneLine(record.title || record.text || '', TITLE_CHARS_MAX)} (${id})`
  },
})
