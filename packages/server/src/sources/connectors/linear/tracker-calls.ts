import { PullFailure } from '../../../base/pull-failure.ts'
import type { McpSession } from '../mcp/mcp-session.ts'
import { callTool, jsonOf, listTools } from '../mcp/tools.ts'
import { list, number, pick, text } from '../pick.ts'
import type { McpTool } from '../pull.ts'

/** Asks Linear's server of tools; every call is one of the source's minute. */
export interface TrackerCalls {
  has(tool: string): boolean
  /** What a tool says, as JSON. Parameters that the tool does not declare are left out, since it would refuse them. */
  call(tool: string, parameters: Record<string, unknown>): Promise<unknown>
  /** One page of a list, and the cursor of the next when there is one. */
  list(entity: string, parameters: Record<string, unknown>): Promise<{ items: unknown[]; next: string | undefined }>
}

/** Entries of a page: long descriptions stay below the limit of an answer. */
const PAGE_ITEMS = 50
/** What of an issue is asked for where the tool lets one choose. */
const FIELDS = new RegExp(
  '^(id|uuid|title|description|projectMilestone|priority|estimate|url|gitBranchName|[a-zA-Z]+At|dueDate|status|' +
    'statusType|labels|(createdBy|assignee|project|team)(Id)?|parentId|cycleId)$',
)

/** Opens the way to the tools of a session. `takeCall` waits until the minute allows one more. */
export async function trackerCalls(session: McpSession, takeCall: () => Promise<void>): Promise<TrackerCalls> {
  const tools = new Map((await listTools(session)).map((tool) => [tool.name, tool]))
  const call: TrackerCalls['call'] = async (name, parameters) => {
    const tool = tools.get(name)
    if (!tool) throw new PullFailure('not_found')
    await takeCall()
    const result = await callTool(session, tool, declared(tool, parameters))
    if (result.isError) throw new PullFailure('provider_failed')
    return jsonOf(result)
  }
  return {
    has: (name) => tools.has(name),
    call,
    list: async (entity, parameters) => {
      const tool = tools.get(`list_${entity}`)
      const page = { limit: pageSize(tool), ...fieldsOf(tool), ...parameters }
      const answer = await call(`list_${entity}`, page)
      const items = Array.isArray(answer) ? answer : (pick(answer, entity) ?? pick(answer, 'nodes'))
      if (!Array.isArray(items)) throw new PullFailure('unreadable')
      const next = pick(answer, 'hasNextPage') === true ? text(answer, 'cursor') : undefined
      return { items, next }
    },
  }
}

/** A tool that declares nothing takes anything. */
function declared({ inputSchema }: McpTool, parameters: Record<string, unknown>): Record<string, unknown> {
  const known = Object.keys((pick(inputSchema, 'properties') ?? {}) as object)
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known.length === 0 ? given : given.filter(([name]) => known.includes(name)))
}

function pageSize(tool: McpTool | undefined): number {
  return Math.min(PAGE_ITEMS, number(tool?.inputSchema, 'properties', 'limit', 'maximum') ?? PAGE_ITEMS)
}

function fieldsOf(tool: McpTool | undefined): { fields?: unknown[] } {
  const known = list(tool?.inputSchema, 'properties', 'fields', 'items', 'enum')
  const wanted = known.filter((name) => FIELDS.test(String(name)))
  return wanted.length > 0 ? { fields: wanted } : {}
}
