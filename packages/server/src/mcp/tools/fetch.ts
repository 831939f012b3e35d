import { type Entity, type KnowledgeRecord, Type as T } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { isId } from '../../base/id.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import { longestFit, oneLine, type SizeLimit } from '../size-limit.ts'
import { apiAddress, dayOf, readAddress, toPointer } from './record-pointer.ts'
import { jsonResult, outline, READS, type ToolContext, type ToolResult, tool } from './tool.ts'

const TOKENS_MAX = 6_000
const PROFILE_CHARS_MAX = 1_500
const NAME_CHARS_MAX = 120
const VALUE_CHARS_MAX = 200
const IDENTIFIERS_MAX = 6
const PROPERTIES_MAX = 8
const RELATIONS_MAX = 12
const RECORDS_MAX = 6

export const fetchOne = tool({
  name: 'fetch',
  title: 'Fetch',
  description: 'Returns a full record (rec_…) or an entity profile (ent_…).',
  role: 'viewer',
  annotations: READS,
  input: T.Object(
    {
      id: T.String(),
      offset: T.Optional(T.Integer({ description: 'next_offset, for the rest.' })),
    },
    { additionalProperties: false },
  ),
  output: outline({ id: 'string', text: 'string', url: 'string' }),
  tokensMax: () => TOKENS_MAX,
  run: async (using, { id, offset = 0 }, sizeLimit) => {
    if (isId('record', id)) return recordPart(using, await readRecord(using, id), Math.max(offset, 0), sizeLimit)
    if (isId('entity', id)) return entityProfile(using, await readEntity(using, id), sizeLimit)
    throw new Fault('not_found', {
      detail: 'No record or entity with this id. Use ids returned by the other tools.',
    })
  },
})

async function readEntity({ ctx, endpoint }: ToolContext, id: string): Promise<Entity> {
  return ctx.call('getEntity', {
    params: { canonical_id: id },
    query: endpoint.project ? { project_id: endpoint.project } : {},
  })
}

/** Returns as much of the record's text from an offset as fits. */
function recordPart(using: ToolContext, record: KnowledgeRecord, offset: number, sizeLimit: SizeLimit): ToolResult {
  const { author, occurred_at: at } = record
  const shown = toPointer(using, { ...record, id: record.record_id })
  const text = (record.text ?? '').slice(offset)
  const metadata = {
    type: oneLine(record.type, NAME_CHARS_MAX),
    ...(at && { date: at }),
    ...(author && { author: oneLine(typeof author === 'string' ? author : author.name, NAME_CHARS_MAX) }),
  }
  const write = (part: string) =>
    JSON.stringify({
      id: record.record_id,
      title: shown.title,
      text: part,
      url: readAddress(using, record.record_id, record.url),
      metadata,
      ...(part.length < text.length && { next_offset: offset + part.length }),
    })
  return jsonResult(write(longestFit(text, (part) => sizeLimit.fits(write(part)))))
}

/**
 * Returns a profile of an entity: names, properties, current relations and latest records, in about a thousand
 * characters.
 */
function entityProfile(using: ToolContext, entity: Entity, sizeLimit: SizeLimit): ToolResult {
  const lines = [
    `${oneLine(entity.name, NAME_CHARS_MAX)} (${oneLine(entity.type, NAME_CHARS_MAX)})`,
    ...listed('Also called', entity.names.slice(1, 1 + IDENTIFIERS_MAX)),
    ...Object.entries(entity.identifiers)
      .slice(0, IDENTIFIERS_MAX)
      .flatMap(([kind, values]) => listed(kind, values.slice(0, IDENTIFIERS_MAX))),
    ...Object.entries(entity.properties)
      .slice(0, PROPERTIES_MAX)
      .flatMap(([name, value]) => listed(name, [typeof value === 'string' ? value : JSON.stringify(value)])),
    ...entity.relations
      .filter(({ is_current }) => is_current)
      .slice(0, RELATIONS_MAX)
      .map(relationLine),
    `Records: ${entity.record_count}; the latest:`,
    ...entity.records.slice(0, RECORDS_MAX).map(({ record_id, title, type, occurred_at }) => {
      const named = oneLine(title || type || '', NAME_CHARS_MAX)
      return `- ${[named, dayOf(occurred_at), record_id].filter(Boolean).join(' — ')}`
    }),
  ]
  const text = lines.join('\n')
  const write = (part: string) =>
    JSON.stringify({
      id: entity.canonical_id,
      title: oneLine(entity.name, NAME_CHARS_MAX),
      text: part,
      url: apiAddress(using, entity.canonical_id),
      metadata: { type: oneLine(entity.type, NAME_CHARS_MAX) },
    })
  return jsonResult(write(longestFit(text, (part) => part.length <= PROFILE_CHARS_MAX && sizeLimit.fits(write(part)))))
}

function relationLine({
  predicate,
  direction,
  name,
  valid_from: from,
  record_id: id,
}: Entity['relations'][number]): string {
  const words = oneLine(predicate.replace(/_/g, ' '), NAME_CHARS_MAX)
  const other = oneLine(name, NAME_CHARS_MAX)
  const statement = direction === 'out' ? `${words}: ${other}` : `${other} ${words} it`
  return [statement, from && `since ${dayOf(from)}`, id].filter(Boolean).join(' — ')
}

function listed(label: string, values: readonly string[]): string[] {
  if (values.length === 0) return []
  return [`${oneLine(label, NAME_CHARS_MAX)}: ${values.map((value) => oneLine(value, VALUE_CHARS_MAX)).join(', ')}`]
}

/** Returns a record visible at this endpoint. Throws `not_found`, also for a record outside the endpoint's project. */
export async function readRecord({ ctx, access, endpoint }: ToolContext, id: string): Promise<KnowledgeRecord> {
  if (!isId('record', id)) throw new Fault('not_found')
  if (endpoint.project) {
    const { snapshot, view } = await openSnapshot(ctx, access, endpoint.project)
    if (!view.graph.hasRecord(id, snapshot.scope)) throw new Fault('not_found')
  }
  return ctx.call('getRecord', { params: { record_id: id } })
}
