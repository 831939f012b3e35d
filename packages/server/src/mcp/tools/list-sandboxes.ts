import { Type as T } from '@cairn/contract'
import { oneLine, writeFitting } from '../room.ts'
import { READS, tool } from './tool.ts'

const SANDBOXES_MAX = 50
const TOKENS_MAX = 2_000
const NAME_CHARS_MAX = 80

/** The sandboxes that the caller can reach, each with its own address. */
export const listSandboxes = tool({
  name: 'list_sandboxes',
  title: 'List sandboxes',
  description: 'Lists the sandboxes you can reach, and their addresses.',
  role: 'viewer',
  annotations: READS,
  input: T.Object({}, { additionalProperties: false }),
  tokensMax: () => TOKENS_MAX,
  run: async ({ ctx, reach }, _, room) => {
    const { sandboxes } = await ctx.call('listSandboxes', { query: { limit: SANDBOXES_MAX } })
    const listed = sandboxes.map(({ sandbox_id: id, name, access }) => ({
      id,
      name: oneLine(name, NAME_CHARS_MAX),
      access,
      is_primary: id === reach.sandboxId,
      address: `${ctx.publicUrl}/mcp/${id}`,
    }))
    return writeFitting(listed, room, (some) => JSON.stringify({ sandboxes: some }))
  },
})
