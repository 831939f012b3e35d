import { Type as T } from '@cairnstore/contract'
import { oneLine, writeFitting } from '../room.ts'
import { outline, READS, toldAsJson, tool } from './tool.ts'

const SOURCES_MAX = 100
const TOKENS_MAX = 2_000
const LABEL_CHARS_MAX = 80

/** Where records come from, and how fresh each is. */
export const sources = tool({
  name: 'sources',
  title: 'List sources',
  description: 'Lists sources, and how fresh each is.',
  role: 'viewer',
  annotations: READS,
  input: T.Object({}, { additionalProperties: false }),
  output: outline({ sources: 'array' }),
  tokensMax: () => TOKENS_MAX,
  run: async ({ ctx, door }, _, room) => {
    const inProject = door.project && (await ctx.call('getProject', { params: { project_id: door.project } }))
    const { sources: all } = await ctx.call('listSources', { query: { limit: SOURCES_MAX } })
    const shown = inProject ? all.filter(({ data_source_id: id }) => inProject.data_source_ids?.includes(id)) : all
    const listed = shown.map(({ name, provider, status, last_sync_at, last_error }) => ({
      name: oneLine(name, LABEL_CHARS_MAX),
      provider,
      status,
      last_sync_at: last_sync_at ?? 'never',
      ...(last_error && { error: oneLine(last_error, LABEL_CHARS_MAX) }),
    }))
    return toldAsJson(writeFitting(listed, room, (some) => JSON.stringify({ sources: some })))
  },
})
