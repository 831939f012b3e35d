import { type ListedTool, openToolServer, type ToolServer } from './tool-server.ts'

/** An item of the tracker, with the time of its last change if the tracker reports it. */
export interface TrackerItem {
  id: string
  updatedAt?: string
  [field: string]: unknown
}

/** A fake Linear MCP server on loopback with the same tools, parameters and replies. */
export interface LinearToolServer extends ToolServer {
  teams: TrackerItem[]
  users: TrackerItem[]
  projects: TrackerItem[]
  issues: TrackerItem[]
  /** Cycles by team. */
  cycles: Record<string, TrackerItem[]>
  /** Parameters of every tool call. */
  calls: { tool: string; parameters: Record<string, unknown> }[]
}

const PAGE_MAX = 250
const PREVIEW_CHARS = 280

const paged = {
  limit: { type: 'number', default: 50, maximum: PAGE_MAX },
  cursor: { type: 'string' },
  orderBy: { type: 'string', enum: ['createdAt', 'updatedAt'], default: 'updatedAt' },
  query: { type: 'string' },
  createdAt: { type: 'string' },
  updatedAt: { type: 'string' },
  includeArchived: { type: 'boolean', default: false },
}
const FIELDS = [
  ...['id', 'uuid', 'title', 'description', 'priority', 'estimate', 'url', 'gitBranchName', 'createdAt', 'updatedAt'],
  ...['archivedAt', 'completedAt', 'startedAt', 'canceledAt', 'dueDate', 'status', 'statusType', 'labels', 'createdBy'],
  ...[
    'createdById',
    'assignee',
    'assigneeId',
    'project',
    'projectId',
    'parentId',
    'team',
    'teamId',
    'cycleId',
    'slaType',
  ],
]

function tool(name: string, properties: Record<string, unknown>, required: string[] = []): ListedTool {
  const inputSchema = { type: 'object', properties, required, additionalProperties: false }
  return { name, description: `Linear: ${name}`, inputSchema, annotations: { readOnlyHint: true } }
}

/** Starts a tracker on a free port. Its key is `lin_api_test`. */
export async function openLinearToolServer(): Promise<LinearToolServer> {
  const base = await openToolServer({ era: '2025', isStreaming: true })
  const server = Object.assign(base, {
    teams: [] as TrackerItem[],
    users: [] as TrackerItem[],
    projects: [] as TrackerItem[],
    issues: [] as TrackerItem[],
    cycles: {} as LinearToolServer['cycles'],
    calls: [] as LinearToolServer['calls'],
  })
  server.needs = { header: 'authorization', value: 'Bearer lin_api_test' }
  server.tools = [
    tool('list_teams', paged),
    tool('list_users', { ...paged, team: { type: 'string' } }),
    tool('list_projects', { ...paged, limit: { type: 'number', default: 50, maximum: 50 } }),
    tool('list_issues', { ...paged, fields: { type: 'array', items: { type: 'string', enum: FIELDS } } }),
    tool('list_cycles', { teamId: { type: 'string' }, type: { type: 'string' } }, ['teamId']),
    tool('get_issue', { id: { type: 'string' } }, ['id']),
    tool('save_issue', { title: { type: 'string' } }, ['title']),
  ]
  server.call = (name, parameters) => {
    server.calls.push({ tool: name, parameters })
    const unknown = Object.keys(parameters).find((key) => !declaredBy(server.tools, name).includes(key))
    if (unknown)
      return failed(`Input validation error: Invalid arguments for tool ${name}: Unrecognized key: "${unknown}"`)
    if (name === 'list_cycles') return toolResult(server.cycles[String(parameters.teamId)] ?? [])
    if (name === 'get_issue') {
      const found = server.issues.find(({ id }) => id === parameters.id)
      return found
        ? toolResult(found)
        : failed('{"error":"invalid_request","message":"Could not find referenced Issue."}')
    }
    const entity = name.replace('list_', '') as 'teams' | 'users' | 'projects' | 'issues'
    return toolResult({ ...page(server[entity], entity, parameters) })
  }
  return server
}

function declaredBy(tools: readonly ListedTool[], name: string): string[] {
  const schemas = tools.filter((one) => one.name === name).map((one) => one.inputSchema as { properties: object })
  return schemas.flatMap(({ properties }) => Object.keys(properties))
}

/** Returns a page, most recently changed first. The cursor is the id of the previous page's last entry. */
function page(all: TrackerItem[], entity: string, { limit = 50, cursor, updatedAt, fields }: Record<string, unknown>) {
  const after = all
    .filter((item) => updatedAt === undefined || String(item.updatedAt) > String(updatedAt))
    .toSorted((one, other) => String(other.updatedAt).localeCompare(String(one.updatedAt)))
  const from = cursor === undefined ? 0 : after.findIndex(({ id }) => id === cursor) + 1
  const items = after.slice(from, from + Number(limit))
  const hasNextPage = from + items.length < after.length
  return {
    [entity]: items.map((item) => shown(item, fields as string[] | undefined)),
    hasNextPage,
    ...(hasNextPage && { cursor: items.at(-1)?.id }),
  }
}

/** Returns an item as lists show it: long texts are truncated, and only the requested fields are included. */
function shown(item: TrackerItem, fields: string[] | undefined): object {
  const text = typeof item.description === 'string' ? item.description : ''
  const cut = `${text.slice(0, PREVIEW_CHARS)}… (truncated, use \`get_issue\` for full description)`
  const whole = text.length > PREVIEW_CHARS ? { ...item, description: cut } : item
  return fields ? Object.fromEntries(Object.entries(whole).filter(([name]) => fields.includes(name))) : whole
}

function toolResult(value: unknown) {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] }
}

function failed(text: string) {
  return { isError: true, content: [{ type: 'text', text }] }
}
