import type { Overview } from '@cairnstore/contract'
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import { Fault } from '../base/fault.ts'
import { explain, recordCall } from './run-tool.ts'
import { oneLine, sizeLimitOf, writeFitting } from './size-limit.ts'
import { fetchOne } from './tools/fetch.ts'
import { dayOf } from './tools/record-pointer.ts'
import type { ToolContext } from './tools/tool.ts'

const ADDRESS = /^cairn:\/\/(record|entity)\/((?:rec|ent)_[0-9a-v]{26})$/
const TYPE = 'application/json'

const OVERVIEW = 'cairn://overview'

export const RESOURCES = [
  {
    uri: OVERVIEW,
    name: 'overview',
    title: 'Overview',
    description: 'Overview of the content: kinds, sources, people, topics.',
    mimeType: 'text/plain',
  },
]

/** URI templates of records and entities. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'cairn://record/{id}',
    name: 'record',
    title: 'Record',
    description: 'The same as the result of `fetch`.',
    mimeType: TYPE,
  },
  {
    uriTemplate: 'cairn://entity/{id}',
    name: 'entity',
    title: 'Entity',
    description: 'The same as the result of `fetch`.',
    mimeType: TYPE,
  },
]

/** Returns the content of a resource. Throws a ProtocolError, or ResourceNotFoundError for an unknown resource. */
export async function readResource(using: ToolContext, uri: string): Promise<ReadResourceResult> {
  if (uri === OVERVIEW) {
    const text = await read(using, uri, 'overview', () => writeOverview(using))
    return { contents: [{ uri, mimeType: 'text/plain', text }] }
  }
  const [, noun, id = ''] = ADDRESS.exec(uri) ?? []
  if (!noun || id.startsWith('rec_') !== (noun === 'record')) throw new ResourceNotFoundError(uri)
  const text = await read(using, uri, fetchOne.name, async () => (await fetchOne.run(using, { id })).text)
  return { contents: [{ uri, mimeType: TYPE, text }] }
}

async function read(using: ToolContext, uri: string, name: string, write: () => Promise<string>): Promise<string> {
  await recordCall(using, name)
  try {
    return await write()
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'not_found') throw new ResourceNotFoundError(uri)
    throw new ProtocolError(ProtocolErrorCode.InternalError, explain(using, 'resource', cause))
  }
}

const TOKENS_MAX = 2_000
const NAME_CHARS_MAX = 80
const SHOWN_MAX = 12
const NAMES_MAX = 6

/** Returns the overview of the scope in lines, most informative first. */
async function writeOverview({ ctx, endpoint }: ToolContext): Promise<string> {
  const query = endpoint.project ? { project_id: endpoint.project } : {}
  const lines = linesOf(await ctx.call('getOverview', { query }))
  return writeFitting(lines, sizeLimitOf(TOKENS_MAX), (some) => some.join('\n'))
}

function linesOf({ record_count: count, oldest, newest, types, sources, entities, topics }: Overview): string[] {
  const [from, to] = [dayOf(oldest?.occurred_at), dayOf(newest?.occurred_at)]
  return [
    `${count} records${from && to ? `, from ${from} to ${to}` : ''}`,
    ...listed('Kinds', types, ({ type, record_count }) => counted(type, record_count)),
    ...listed('Topics', topics, ({ name, record_count }) => counted(name, record_count)),
    ...entities
      .slice(0, SHOWN_MAX)
      .flatMap(({ type, entities: some }) =>
        listed(short(type), some.slice(0, NAMES_MAX), ({ name, canonical_id: id }) => `${short(name)} (${id})`),
      ),
    ...sources.slice(0, SHOWN_MAX).map(({ name = 'no source', provider, newest_at, record_count }) => {
      const latest = dayOf(newest_at) && `latest ${dayOf(newest_at)}`
      return `Source: ${[short(name), provider, `${record_count} records`, latest].filter(Boolean).join(', ')}`
    }),
  ]
}

function listed<T>(label: string, entries: readonly T[], write: (entry: T) => string): string[] {
  return entries.length === 0 ? [] : [`${label}: ${entries.slice(0, SHOWN_MAX).map(write).join(', ')}`]
}

function counted(name: string, count: number): string {
  return `${short(name)} (${count})`
}

function short(name: string): string {
  return oneLine(name, NAME_CHARS_MAX)
}
