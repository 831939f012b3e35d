import { TRACKER_ENTITIES, type TrackerEntity } from '@cairnstore/contract'
import { MS_PER_SECOND } from '../../../base/clock.ts'
import { PullFailure } from '../../../base/pull-failure.ts'
import type { McpTool, PulledPage, PullRequest } from '../connector.ts'
import { callTool, jsonOf, listTools, type McpSession, openMcpSession } from '../mcp/mcp-session.ts'
import { list, moment, number, pick, text } from '../pick.ts'
import { type MappedRecord, type Settings, shortDigestOf } from '../to-record.ts'
import { assignLinearSite, changedAt, cycleOf, issueOf, type LinearObject, projectOf, userOf } from './entities.ts'
import { linearRecord } from './linear-record.ts'

interface LinearMark {
  /** All changes before this time have been read. `edge` lists the versions read from the second before it. */
  at?: string
  edge?: string[]
  /** State of an unfinished read, newest first: the next page, its entries read so far, and the first page's latest. */
  page?: string
  skip?: number
  newest?: string
  newestEdge?: string[]
  /** Digests of the records whose items have no update time, by external id. */
  seen?: Record<string, string>
}

/** Number of entries per stored page. Pages are small because full texts are requested one by one. */
const BATCH_ITEMS = 10
/** Maximum number of pages of one list per pull; the next pull continues. */
const PAGES_MAX = 200
const EDGE_MAX = 100
const TRUNCATED = /\(truncated, use `(get_\w+)` for full description\)\s*$/

/** Reads teams, people, projects, cycles and issues from Linear's MCP server, with truncated texts in full. */
export async function* pullLinear(request: PullRequest): AsyncGenerator<PulledPage> {
  const { toolServers, credential, signal } = request
  if (!toolServers) throw new PullFailure('misconfigured')
  if (!credential) throw new PullFailure('credential_missing')
  const session = await openMcpSession(toolServers.serverFor(credential), { fetch: toolServers.fetch, signal })
  try {
    const calls = await trackerCalls(session, toolServers.takeCall)
    const wanted = entitiesIn(request.settings)
    if (!wanted.some((entity) => calls.has(`list_${entity}`))) throw new PullFailure('not_found')
    for await (const { records, cursor } of readAll(calls, wanted, request)) {
      yield { records: assignLinearSite(records, request.settings), cursor }
    }
  } finally {
    await session.close()
  }
}

/** Returns the entity types that the settings select; all of them by default. */
export function entitiesIn({ config }: Pick<Settings, 'config'>): TrackerEntity[] {
  const chosen = TRACKER_ENTITIES.filter((entity) => list(config, 'include').includes(entity))
  return chosen.length > 0 ? chosen : [...TRACKER_ENTITIES]
}

async function* readAll(
  calls: TrackerCalls,
  wanted: TrackerEntity[],
  request: PullRequest,
): AsyncGenerator<PulledPage> {
  let cursor = rewound(request)
  const reads = (entity: TrackerEntity) => wanted.includes(entity) && calls.has(`list_${entity}`)
  const advance = function* (entity: string, pages: { records: MappedRecord[]; mark: LinearMark }) {
    cursor = { ...cursor, [entity]: pages.mark }
    yield { records: pages.records, cursor }
  }
  const cycles = new Map<string, LinearObject>()
  const teams = reads('teams') || reads('cycles') ? await wholeList(calls, 'teams') : []
  if (reads('teams')) {
    yield* advance(
      'teams',
      onlyChanged(cursor.teams, teams, (team) => linearRecord('Team', team)),
    )
  }
  if (reads('users')) {
    const users = await wholeList(calls, 'users')
    yield* advance(
      'users',
      onlyChanged(cursor.users, users, (user) => linearRecord('User', userOf(user))),
    )
  }
  if (reads('cycles')) {
    for (const team of teams) {
      const found = await wholeList(calls, 'cycles', { teamId: text(team, 'id'), type: 'all' })
      for (const one of found) cycles.set(text(one, 'id') ?? '', cycleOf(one, team as LinearObject))
    }
    yield* advance(
      'cycles',
      onlyChanged(cursor.cycles, [...cycles.values()], (cycle) => linearRecord('Cycle', cycle)),
    )
  }
  const lists = [
    ['projects', (project: unknown) => linearRecord('Project', projectOf(project))],
    ['issues', (issue: unknown) => linearRecord('Issue', issueOf(issue, cycles))],
  ] as const
  for (const [entity, toRecord] of lists) {
    if (!reads(entity)) continue
    for await (const page of changed(calls, entity, cursor[entity] ?? {}, toRecord)) yield* advance(entity, page)
  }
}

/** Returns the cursor with no position later than `since`. A list that was never read still starts at its beginning. */
function rewound({ cursor, since }: PullRequest): Record<string, LinearMark> {
  const marks = Object.entries((cursor ?? {}) as Record<string, LinearMark>)
  if (!since) return Object.fromEntries(marks)
  return Object.fromEntries(
    marks.map(([entity, { at }]) => [entity, at && new Date(at) <= since ? { at } : { at: since.toISOString() }]),
  )
}

async function wholeList(calls: TrackerCalls, entity: string, parameters: object = {}): Promise<unknown[]> {
  const all: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { items, next } = await calls.list(entity, { ...parameters, cursor })
    all.push(...items)
    if (next === undefined) break
    cursor = next
  }
  return all
}

/** Returns the records of a short list that are new or changed. */
function onlyChanged(
  mark: LinearMark | undefined,
  items: unknown[],
  toRecord: (item: unknown) => MappedRecord | undefined,
) {
  const before = mark?.seen ?? {}
  const seen: Record<string, string> = {}
  const records: MappedRecord[] = []
  for (const item of items) {
    const record = toRecord(item)
    if (!record) continue
    const digest = shortDigestOf(record)
    seen[record.external_id] = digest
    if (before[record.external_id] !== digest) records.push(record)
  }
  return { records, mark: { seen } satisfies LinearMark }
}

/** Yields the changed entries of a long list, newest first, a few at a time. `at` advances when all are read. */
async function* changed(
  calls: TrackerCalls,
  entity: string,
  first: LinearMark,
  toRecord: (item: unknown) => MappedRecord | undefined,
): AsyncGenerator<{ records: MappedRecord[]; mark: LinearMark }> {
  let mark = first
  const since = mark.at && new Date(Date.parse(mark.at) - MS_PER_SECOND).toISOString()
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const order = { orderBy: 'updatedAt', includeArchived: true, updatedAt: since, cursor: mark.page }
    const { items, next } = await calls.list(entity, order)
    mark = withNewest(mark, items)
    for (let from = mark.skip ?? 0; from < items.length; from += BATCH_ITEMS) {
      const records: MappedRecord[] = []
      for (const item of items.slice(from, from + BATCH_ITEMS)) {
        const record = isKnown(mark, item) ? undefined : toRecord(await fullItem(calls, item))
        if (record) records.push(record)
      }
      mark = { ...mark, skip: from + BATCH_ITEMS }
      yield { records, mark }
    }
    const isOld = items.length > 0 && items.every((item) => isKnown(mark, item))
    if (next === undefined || isOld) break
    const { skip: _, ...rest } = mark
    mark = { ...rest, page: next }
    yield { records: [], mark }
  }
  const at = mark.newest ?? mark.at
  const edge = mark.newest ? mark.newestEdge : mark.edge
  yield { records: [], mark: { ...(at && { at }), ...(edge && { edge }) } }
}

/** Returns the position with the latest change of the first page. The read sets `at` to it at its end. */
function withNewest(mark: LinearMark, items: unknown[]): LinearMark {
  const latest = items
    .flatMap((item) => changedAt(item) ?? [])
    .sort()
    .at(-1)
  if (mark.newest || mark.page || !latest) return mark
  const from = Date.parse(latest) - MS_PER_SECOND
  const edge = items.filter((item) => Date.parse(changedAt(item) ?? '') >= from)
  return { ...mark, newest: latest, newestEdge: edge.slice(0, EDGE_MAX).map(versionOf) }
}

/** Returns true if this version of the entry was already read. */
function isKnown({ at, edge = [] }: LinearMark, item: unknown): boolean {
  const changed = changedAt(item)
  if (!at || !changed || changed > at) return false
  return Date.parse(changed) < Date.parse(at) - MS_PER_SECOND || edge.includes(versionOf(item))
}

function versionOf(item: unknown): string {
  return `${text(item, 'id')} ${moment(item, 'updatedAt')}`
}

/** Returns the item with its full text. */
async function fullItem(calls: TrackerCalls, item: unknown): Promise<unknown> {
  const tool = TRUNCATED.exec(text(item, 'description') ?? '')?.[1]
  const id = text(item, 'id')
  if (!tool || !id || !calls.has(tool)) return item
  const found = await calls.call(tool, { id, query: id })
  return text(found, 'description') ? { ...(item as LinearObject), ...(pick(found) as LinearObject) } : item
}

/** Calls the tools of Linear's MCP server. Every call counts against the source's rate limit per minute. */
interface TrackerCalls {
  has(tool: string): boolean
  /** Returns a tool's result as JSON. Omits parameters that the tool does not declare. */
  call(tool: string, parameters: Record<string, unknown>): Promise<unknown>
  /** Returns one page of a list, and the cursor of the next page if there is one. */
  list(entity: string, parameters: Record<string, unknown>): Promise<{ items: unknown[]; next: string | undefined }>
}

/** Entries per page. With long descriptions, such a page stays below the response limit. */
const PAGE_ITEMS = 50
/** Fields of an issue that are requested if the tool lets the caller choose. */
const FIELDS = new RegExp(
  '^(id|uuid|title|description|projectMilestone|priority|estimate|url|gitBranchName|[a-zA-Z]+At|dueDate|status|' +
    'statusType|labels|(createdBy|assignee|project|team)(Id)?|parentId|cycleId)$',
)

/** Returns the calls to the tools of a session. `takeCall` waits until the rate limit per minute allows one more. */
async function trackerCalls(session: McpSession, takeCall: () => Promise<void>): Promise<TrackerCalls> {
  const tools = new Map((await listTools(session)).map((tool) => [tool.name, tool]))
  const call: TrackerCalls['call'] = async (name, parameters) => {
    const tool = tools.get(name)
    if (!tool) throw new PullFailure('not_found')
    await takeCall()
    const result = await callTool(session, tool, declaredParameters(tool, parameters))
    if (result.isError) throw new PullFailure('provider_failed')
    return jsonOf(result)
  }
  return {
    has: (name) => tools.has(name),
    call,
    list: async (entity, parameters) => {
      const tool = tools.get(`list_${entity}`)
      const page = { limit: pageSize(tool), ...fieldsOf(tool), ...parameters }
      const body = await call(`list_${entity}`, page)
      const items = Array.isArray(body) ? body : (pick(body, entity) ?? pick(body, 'nodes'))
      if (!Array.isArray(items)) throw new PullFailure('unreadable')
      const next = pick(body, 'hasNextPage') === true ? text(body, 'cursor') : undefined
      return { items, next }
    },
  }
}

/** Returns the parameters that a tool declares, or all of them if it declares none. */
function declaredParameters({ inputSchema }: McpTool, parameters: Record<string, unknown>): Record<string, unknown> {
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
