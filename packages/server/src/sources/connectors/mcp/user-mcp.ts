import type { IngestToolCall } from '@cairnstore/contract'
import { PullFailure } from '../../../base/pull-failure.ts'
import type { Connector, McpTool, PulledPage, PullRequest } from '../connector.ts'
import { json } from '../json/json.ts'
import type { ActiveProfile } from '../mcp-profile.ts'
import { list, moment, pick, text } from '../pick.ts'
import { DIGEST_CHARS, type MappedRecord, shortDigestOf, toRecord, withdrawal } from '../to-record.ts'
import { type Completeness, completenessOf, listsOf } from './complete-result.ts'
import { callTool, jsonOf, listTools, type McpResult, type McpSession, openMcpSession, textOf } from './mcp-session.ts'
import { McpFailure } from './mcp-transport.ts'
import { type Seen, typeIn, UNKNOWN_DIGEST } from './read-listing.ts'
import { marksFrom, readProfile, toolsOf } from './read-profile.ts'

/** Connector for MCP servers that users connect. It reads their resources and tool results as JSON of any shape. */
export const userMcp: Connector = {
  ...json,
  providers: ['user_mcp'],
  product: 'MCP tool server',
  pull: pullTools,
}

/** Records of each part of a server. The digest is `ABSENT` if the latest list lacks the record. */
type Parts = Record<string, Seen>

/** Number of records per stored page. */
const BATCH_RECORDS = 20
/** Maximum number of records in one part for which removals are detected. */
const SEEN_MAX = 5_000
const ABSENT = '-'.repeat(DIGEST_CHARS)

/**
 * Reads a server's resources and makes the tool calls in the source's settings. Skips unchanged records. Deletes a
 * record once two consecutive whole lists lack it, unless another call has returned it. A tool that is missing or not
 * approved is not called, and its earlier records remain. If a tool fails, the others still run, and the pull throws at
 * its end.
 */
async function* pullTools(request: PullRequest): AsyncGenerator<PulledPage> {
  const { toolServers, credential, settings, signal, since } = request
  if (!toolServers) throw new PullFailure('misconfigured')
  const { profile } = toolServers
  if (settings.config.server_profile !== undefined && !profile) throw new PullFailure('profile_outdated')
  const open = () => openMcpSession(toolServers.serverFor(credential), { fetch: toolServers.fetch, signal })
  let session = await open()
  try {
    const calls = list(settings.config, 'ingest_tool_calls') as IngestToolCall[]
    let parts = ofCalls((request.cursor?.parts ?? {}) as Parts, calls)
    if (since) parts = Object.fromEntries(Object.entries(parts).map(([name, seen]) => [name, withoutDigests(seen)]))
    let listings = profile ? marksFrom(profile, request) : {}
    const advance = async function* (name: string, records: AsyncIterable<MappedRecord>, complete: Completeness) {
      const others = Object.entries(parts).flatMap(([other, seen]) => (other === name ? [] : [seen]))
      const isElsewhere = (id: string) => others.some((seen) => Object.hasOwn(seen, id))
      for await (const { found, seen } of onlyChanged(parts[name] ?? {}, records, complete, isElsewhere)) {
        parts = { ...parts, [name]: seen }
        yield { records: found, cursor: { parts, listings } }
      }
    }
    if (session.has('resources') && profile?.profile.read_resources !== false) {
      const { resources, isComplete } = await listResources(session)
      const read = async function* () {
        for (const resource of resources) yield readResource(session, resource)
      }
      yield* advance(RESOURCES, read(), isComplete ? 'stated' : 'unknown')
    }
    const tools = new Map((await listTools(session)).map((tool) => [tool.name, tool]))
    const approved = await toolServers.approve([...tools.values()])
    const read = profile && readableTools(profile, settings.config, tools, approved)
    let failed = isEveryToolMissing(calls, profile, tools) ? new PullFailure('not_found') : undefined
    for (const call of calls) {
      const tool = tools.get(call.tool)
      if (!tool || !approved.has(tool.name)) continue
      await toolServers.takeCall()
      const result = await callTool(session, tool, call.arguments ?? {})
      if (result.isError) failed ??= new PullFailure('provider_failed')
      else yield* advance(partOf(call), recordsIn(call, result), completeness(tool, call, result))
    }
    if (profile && read) {
      const call = async (tool: McpTool, given: Record<string, unknown>) => {
        await toolServers.takeCall()
        return callTool(session, tool, given)
      }
      const tryCall: typeof call = async (tool, given) => {
        try {
          return await call(tool, given)
        } catch (error) {
          // One item is too large or too slow. The others are read in a new session.
          if (!(error instanceof McpFailure && ['response_too_large', 'timeout'].includes(error.health))) throw error
          signal.throwIfAborted()
          await session.close()
          session = await open()
          return { isError: true, content: [], structured: undefined }
        }
      }
      for await (const { records, marks } of readProfile(profile, listings, request.now, {
        tools: read,
        call,
        tryCall,
      })) {
        listings = marks
        yield { records, cursor: { parts, listings } }
      }
    }
    if (failed) throw failed
  } finally {
    await session.close()
  }
}

/** Returns the approved and allowed tools of a profile, except those in the user's own calls. */
function readableTools(
  { profile }: ActiveProfile,
  config: Readonly<Record<string, unknown>>,
  tools: ReadonlyMap<string, McpTool>,
  approved: ReadonlySet<string>,
): Map<string, McpTool> {
  const own = new Set((list(config, 'ingest_tool_calls') as IngestToolCall[]).map(({ tool }) => tool))
  const allowed = config.allowed_tools === undefined ? undefined : list(config, 'allowed_tools')
  const found = toolsOf(profile).flatMap((name) => tools.get(name) ?? [])
  const readable = found.filter(({ name }) => approved.has(name) && !own.has(name) && (allowed?.includes(name) ?? true))
  return new Map(readable.map((tool) => [tool.name, tool]))
}

function isEveryToolMissing(
  calls: readonly IngestToolCall[],
  active: ActiveProfile | undefined,
  tools: ReadonlyMap<string, McpTool>,
): boolean {
  const named = [...calls.map(({ tool }) => tool), ...(active ? toolsOf(active.profile) : [])]
  return named.length > 0 && !named.some((name) => tools.has(name))
}

/** Name of the part with the resources. */
const RESOURCES = 'resources'

/** Returns the parts without those of calls that are no longer made. */
function ofCalls(parts: Parts, calls: readonly IngestToolCall[]): Parts {
  const names = new Set([RESOURCES, ...calls.map(partOf)])
  return Object.fromEntries(Object.entries(parts).filter(([name]) => names.has(name)))
}

/** Identifies the list that a call reads, and the record of a result that is prose. */
function partOf({ tool, arguments: given = {} }: IngestToolCall): string {
  return `tool/${tool}/${shortDigestOf(given)}`
}

function completeness(tool: McpTool, call: IngestToolCall, result: McpResult): Completeness {
  const { arguments: given = {}, map, complete } = call
  const body = jsonOf(result)
  if (body === undefined || body === null || typeof body !== 'object') return 'unknown'
  const lists = map
    ? listsOf(body, map.records)
    : listsOf(unwrapped(body), pick(body, 'records') ? 'records' : undefined)
  return completenessOf({ inputSchema: tool.inputSchema, given, complete }, body, lists)
}

/** Yields the records of a tool result: by the mapping, by the names of its fields, or as one text if it is prose. */
async function* recordsIn(call: IngestToolCall, result: McpResult): AsyncGenerator<MappedRecord> {
  const body = jsonOf(result)
  if (body === undefined || body === null || typeof body !== 'object') {
    const text = textOf(result)
    if (text) yield toRecord({ externalId: partOf(call), type: 'tool_result', title: call.tool, text })
    return
  }
  const config = call.map ? { mapping: call.map } : {}
  const given = call.map ? body : unwrapped(body)
  yield* (await json.map({ headers: {}, body: given, settings: { config, accountId: null } })).records
}

/** Returns the list of an object that contains exactly one list of objects; any other body unchanged. */
function unwrapped(body: object): unknown {
  const lists = Object.values(body).filter(
    (value) => Array.isArray(value) && value.every((entry) => entry !== null && typeof entry === 'object'),
  )
  return !Array.isArray(body) && lists.length === 1 ? lists[0] : body
}

/** Yields new and changed records a few at a time, and deletions at the end. */
async function* onlyChanged(
  before: Seen,
  records: AsyncIterable<MappedRecord>,
  complete: Completeness,
  isElsewhere: (id: string) => boolean,
): AsyncGenerator<{ found: MappedRecord[]; seen: Seen }> {
  const known: Seen = Object.assign(Object.create(null), before)
  const after: Seen = Object.create(null)
  let found: MappedRecord[] = []
  let isTracked = true
  let hasNew = false
  for await (const record of records) {
    const digest = shortDigestOf(record)
    const isKnown = known[record.external_id]?.startsWith(digest) && after[record.external_id] === undefined
    isTracked &&= Object.keys(after).length < SEEN_MAX
    hasNew ||= known[record.external_id] === undefined
    if (isTracked) after[record.external_id] = `${digest} ${record.type}`
    if (!isKnown) found.push(record)
    if (found.length < BATCH_RECORDS) continue
    yield { found, seen: latest(before, after) }
    found = []
  }
  if (complete === 'unknown' || !isTracked) {
    yield { found, seen: latest(before, after) }
    return
  }
  const missing = Object.keys(before).filter((id) => after[id] === undefined && !isElsewhere(id))
  // In a list of the newest items, new ones may have displaced the missing ones, so these are not deleted.
  const counted = complete === 'unfiltered' && hasNew ? [] : missing
  const isGone = (id: string) => before[id]!.startsWith(ABSENT)
  found.push(...counted.filter(isGone).map((id) => withdrawal(id, typeIn(before[id]!))))
  const absent = counted.filter((id) => !isGone(id)).map((id) => [id, `${ABSENT} ${typeIn(before[id]!)}`])
  yield { found, seen: { ...after, ...Object.fromEntries(absent) } }
}

/** Merges both. Above `SEEN_MAX`, drops the first of the records that were not seen this time. */
function latest(before: Seen, after: Seen): Seen {
  const older = Object.entries(before).filter(([id]) => after[id] === undefined)
  const olderMax = Math.max(0, SEEN_MAX - Object.keys(after).length)
  return { ...Object.fromEntries(older.slice(Math.max(0, older.length - olderMax))), ...after }
}

/** Returns the records with unknown digests, so that each is sent again. */
function withoutDigests(seen: Seen): Seen {
  return Object.fromEntries(Object.entries(seen).map(([id, one]) => [id, `${UNKNOWN_DIGEST} ${typeIn(one)}`]))
}

/** A resource that the server can read. */
interface McpResource {
  readonly uri: string
  readonly listed: unknown
}

const PAGES_MAX = 64
const RESOURCES_MAX = 5_000
const WEB = /^https?:\/\//

/** Returns the resources of a server, the first of each URI. `isComplete` is true if these are all. */
async function listResources(session: McpSession): Promise<{ resources: McpResource[]; isComplete: boolean }> {
  const found = new Map<string, McpResource>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const response = await session.request('resources/list', cursor === undefined ? {} : { cursor })
    for (const listed of list(response, 'resources')) {
      const uri = text(listed, 'uri')
      if (uri && !found.has(uri)) found.set(uri, { uri, listed })
    }
    cursor = text(response, 'nextCursor')
    if (found.size >= RESOURCES_MAX) break
    if (cursor === undefined) return { resources: [...found.values()], isComplete: true }
  }
  return { resources: [...found.values()].slice(0, RESOURCES_MAX), isComplete: false }
}

/** Returns the external id of a resource's record. */
function resourceId(uri: string): string {
  return `resource/${uri}`
}

/** Reads a resource and returns its record. A resource without text has its description as the text. */
async function readResource(session: McpSession, { uri, listed }: McpResource): Promise<MappedRecord> {
  const contents = list(await session.request('resources/read', { uri }), 'contents')
  const texts = contents.flatMap((content) => text(content, 'text') ?? [])
  const changed = moment(listed, 'annotations', 'lastModified')
  return toRecord({
    externalId: resourceId(uri),
    type: 'document',
    title: text(listed, 'title') ?? text(listed, 'name') ?? uri,
    text: texts.length > 0 ? texts.join('\n\n') : text(listed, 'description'),
    url: WEB.test(uri) ? uri : undefined,
    occurredAt: changed,
    properties: {
      uri,
      mime_type: text(pick(contents, 0), 'mimeType') ?? text(listed, 'mimeType'),
      description: texts.length > 0 ? text(listed, 'description') : undefined,
    },
  })
}
