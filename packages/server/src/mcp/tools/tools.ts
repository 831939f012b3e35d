import { Type as T } from '@cairnstore/contract'
import { oneLine, writeFitting } from '../size-limit.ts'
import { ask } from './ask.ts'
import { changes } from './changes.ts'
import { fetchOne } from './fetch.ts'
import { findEntity } from './find-entity.ts'
import { callTool, findTool } from './live.ts'
import { forget, remember } from './remember.ts'
import { search } from './search.ts'
import { jsonResult, outline, READS, type Tool, type ToolContext, tool } from './tool.ts'

const SANDBOXES_MAX = 50
const TOKENS_MAX = 2_000
const NAME_CHARS_MAX = 80

const listSandboxes = tool({
  name: 'list_sandboxes',
  title: 'List sandboxes',
  description: 'Lists your sandboxes with their MCP addresses.',
  role: 'viewer',
  annotations: READS,
  input: T.Object({}, { additionalProperties: false }),
  output: outline({ sandboxes: 'array' }),
  tokensMax: () => TOKENS_MAX,
  run: async ({ ctx, access }, _, sizeLimit) => {
    const { sandboxes } = await ctx.call('listSandboxes', { query: { limit: SANDBOXES_MAX } })
    const listed = sandboxes.map(({ sandbox_id: id, name, access: role }) => ({
      id,
      name: oneLine(name, NAME_CHARS_MAX),
      access: role,
      is_primary: id === access.sandboxId,
      address: `${ctx.publicUrl}/mcp/${id}`,
    }))
    return jsonResult(writeFitting(listed, sizeLimit, (some) => JSON.stringify({ sandboxes: some })))
  },
})

const SOURCES_MAX = 100
const LABEL_CHARS_MAX = 80

const sources = tool({
  name: 'sources',
  title: 'List sources',
  description: 'Lists sources and their last sync.',
  role: 'viewer',
  annotations: READS,
  input: T.Object({}, { additionalProperties: false }),
  output: outline({ sources: 'array' }),
  tokensMax: () => TOKENS_MAX,
  run: async ({ ctx, endpoint }, _, sizeLimit) => {
    const inProject = endpoint.project && (await ctx.call('getProject', { params: { project_id: endpoint.project } }))
    const { sources: all } = await ctx.call('listSources', { query: { limit: SOURCES_MAX } })
    const shown = inProject ? all.filter(({ data_source_id: id }) => inProject.data_source_ids?.includes(id)) : all
    const listed = shown.map(({ name, provider, status, last_sync_at, last_error }) => ({
      name: oneLine(name, LABEL_CHARS_MAX),
      provider,
      status,
      last_sync_at: last_sync_at ?? 'never',
      ...(last_error && { error: oneLine(last_error, LABEL_CHARS_MAX) }),
    }))
    return jsonResult(writeFitting(listed, sizeLimit, (some) => JSON.stringify({ sources: some })))
  },
})

const TOOLS: readonly Tool[] = [ask, search, fetchOne, findEntity, changes, remember, forget, sources]

/** Returns the tools available to the caller at this endpoint, by role, token and endpoint options. */
export function toolsFor({ access, endpoint }: ToolContext): Tool[] {
  const all = [
    ...TOOLS,
    ...(endpoint.isPrimary ? [listSandboxes] : []),
    ...(endpoint.isLive ? [findTool, callTool] : []),
  ]
  return all.filter(
    ({ role, annotations }) => access.allows(role) && (annotations.readOnlyHint || !endpoint.isReadOnly),
  )
}
