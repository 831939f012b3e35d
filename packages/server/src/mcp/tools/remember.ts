import { Type as T } from '@cairn/contract'
import { sha256 } from '../../base/digest.ts'
import { tool } from './tool.ts'

const TOKENS_MAX = 300
const WAIT_SECONDS = 5
const DIGEST_CHARS = 32

/** Before the digest in the external id of what was remembered here. */
export const REMEMBERED = 'mcp-'

const UNCHANGED = 'It was told before, so nothing changed; what was forgotten stays so until other words say it.'

/** A text → a record; the same text again is the same record. */
export const remember = tool({
  name: 'remember',
  title: 'Remember',
  description: 'Keeps a note for everybody who can read here.',
  role: 'editor',
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: T.Object(
    {
      text: T.String({ description: 'What to keep, with full names.' }),
      title: T.Optional(T.String({ description: 'A few words.' })),
      occurred_at: T.Optional(T.String({ description: 'YYYY-MM-DD, or RFC 3339.' })),
    },
    { additionalProperties: false },
  ),
  tokensMax: () => TOKENS_MAX,
  run: async ({ ctx, door }, { text, title, occurred_at }) => {
    const digest = sha256(JSON.stringify([text, title ?? '', occurred_at ?? ''])).toString('hex')
    const body = {
      text,
      source_type: 'note',
      external_id: `${REMEMBERED}${digest.slice(0, DIGEST_CHARS)}`,
      ...(title && { title }),
      ...(occurred_at && { occurred_at }),
      ...(door.project && { project_id: door.project }),
    }
    const job = await ctx.call('ingest', { body, waitSeconds: WAIT_SECONDS })
    const { job_id: id, status } = job
    if ('result' in job && job.result?.unchanged) return `${UNCHANGED} (${id})`
    if (status === 'completed') return `Kept; it can be asked for now. (${id})`
    if (status === 'failed')
      return `Not kept: ${'error_message' in job ? job.error_message : 'the job failed'}. (${id})`
    return `Kept; it can be asked for shortly. (${id})`
  },
})
