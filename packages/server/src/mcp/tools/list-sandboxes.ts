import { Type as T } from '@cairnstore/contract'
import { oneLine, writeFitting } from '../room.ts'
import { outline, READS, toldAsJson, tool } from './tool.ts'

const SANDBOXES_MAX = 50
const TOKENS_MAX = 2_000
const NAME_CHARS_MAX = 80

/** The sandboxes that the caller can reach, each with its own address. */
export const listSandboxes = tool({
  name: 'list_sandboxes',
  title: 'List sandboxes',
  description: 'Lists your sandboxes and their addresses.',
  role: 'viewer',
  annotations: READS,
  input: T.Object({}, { additionalProperties: false }),
  output: outline({ sandboxes: 'array' }),
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
    return toldAsJson(writeFitting(listed, room, (some) => JSON.stringify({ sandboxes: some })))
  },
})
