import { type ExportItem, NOT_UNDERSTOOD } from '../export-reader.ts'
import { list, moment, pick, text } from '../pick.ts'
import { type Entity, entity, factRecord, type MappedRecord, snakeCase, toRecord } from '../to-record.ts'

/** Field names for lists of nodes and edges, as used by the library, its server, Zep and the database. */
const LISTS = [
  ...['nodes', 'entities', 'entity_nodes', 'episodes', 'episodic_nodes', 'communities', 'community_nodes'],
  ...['edges', 'facts', 'entity_edges', 'episodic_edges', 'relationships', 'relations'],
] as const
/** Labels that are too general to be the type of an entity. */
const GENERAL_LABELS = new Set(['Entity', 'Node', 'Episodic', 'EpisodicNode', 'EntityNode', 'Community'])
/** Maximum number of nodes in memory. Later edges refer to them. */
const NAMES_MAX = 500_000
/** Fields that are not stored as properties, because they are internal or have their own field in the record. */
const INTERNAL = new Set([
  ...['uuid', 'name', 'summary', 'created_at', 'labels', 'label', 'content', 'source', 'source_description'],
  ...['entity_edges', 'name_embedding', 'summary_embedding', 'fact_embedding', 'valid_at', 'attributes', 'episodes'],
])

/** Returns true if a JSON value is a Graphiti export, or one line of an export of its database. */
export function isGraphiti(value: unknown): boolean {
  return partsOf(value)
    .slice(0, SAMPLED)
    .map(plain)
    .some((part) => text(part, 'uuid') !== undefined && (isEdge(part) || isEpisode(part) || isNode(part)))
}

/** Number of list entries that are inspected to recognize the format. */
const SAMPLED = 50

function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  const parts = LISTS.flatMap((name) => list(value, name))
  return parts.length > 0 ? parts : [value]
}

/** Converts a node or an edge of a Neo4j export, which has its fields under `properties`, to the library's format. */
function plain(part: unknown): unknown {
  const properties = pick(part, 'properties')
  const type = text(part, 'type')
  if ((type !== 'node' && type !== 'relationship') || typeof properties !== 'object') return part
  const end = (side: string) => text(part, side, 'properties', 'uuid') ?? databaseId(text(part, side, 'id'))
  return {
    ...properties,
    ...(type === 'node' && { labels: list(part, 'labels'), database_id: databaseId(text(part, 'id')) }),
    ...(type === 'relationship' && {
      name: text(properties, 'name') ?? text(part, 'label'),
      source_node_uuid: end('start'),
      target_node_uuid: end('end'),
    }),
  }
}

function databaseId(id: string | undefined): string | undefined {
  return id && `neo4j:${id}`
}

function isEdge(part: unknown): boolean {
  return text(part, 'source_node_uuid') !== undefined && text(part, 'target_node_uuid') !== undefined
}

function isEpisode(part: unknown): boolean {
  return pick(part, 'content') !== undefined && !isEdge(part)
}

function isNode(part: unknown): boolean {
  return text(part, 'name') !== undefined && !isEdge(part)
}

export function openGraphiti() {
  const nodes = new Map<string, Entity>()
  return {
    read: (given: unknown, line: number) => {
      const part = plain(given)
      if (isEdge(part)) return edgeItem(part, line, nodes)
      const uuid = text(part, 'uuid')
      const node = nodeEntity(part)
      if (!uuid || (!node && !isEpisode(part))) return { line, error: NOT_UNDERSTOOD }
      if (node && !isEpisode(part) && nodes.size < NAMES_MAX) {
        nodes.set(uuid, {
          type: node.type,
          name: node.name,
          ...(node.identifiers && { identifiers: node.identifiers }),
        })
        const database = text(part, 'database_id')
        if (database) nodes.set(database, nodes.get(uuid)!)
      }
      return { line, record: isEpisode(part) ? episodeRecord(part, uuid) : nodeRecord(part, uuid, node!) }
    },
  }
}

/** Yields the episodes, entities and facts of a whole export. Reads nodes before edges, in any order of the export. */
export function* readGraphiti(value: unknown): Generator<ExportItem> {
  const reader = openGraphiti()
  const parts = partsOf(value).map((part, index) => ({ part, line: index + 1 }))
  const [nodes, edges]: [typeof parts, typeof parts] = [[], []]
  for (const one of parts) (isEdge(plain(one.part)) ? edges : nodes).push(one)
  for (const { part, line } of [...nodes, ...edges]) {
    const item = reader.read(part, line)
    if (item) yield item
  }
}

function nodeEntity(part: unknown): Entity | undefined {
  const labels = list(part, 'labels').flatMap((label) => text(label) ?? [])
  const own = labels.find((label) => !GENERAL_LABELS.has(label))
  const type = own ? snakeCase(own) : labels.includes('Community') ? 'community' : 'topic'
  return entity(type, text(part, 'name'), { graphiti: text(part, 'uuid') })
}

function nodeRecord(part: unknown, uuid: string, own: Entity): MappedRecord {
  const attributes = { ...(pick(part, 'attributes') as object | undefined), ...fieldsOf(part) }
  return toRecord({
    externalId: `node/${uuid}`,
    type: own.type,
    title: own.name,
    text: text(part, 'summary'),
    occurredAt: moment(part, 'created_at'),
    entities: [own],
    properties: attributes,
  })
}

/** Returns the other scalar fields of a node. Omits lists, because embeddings are lists. */
function fieldsOf(part: unknown): Record<string, unknown> {
  const fields = Object.entries(part as object).filter(
    ([key, value]) => !INTERNAL.has(key) && key !== 'database_id' && typeof value !== 'object',
  )
  return Object.fromEntries(fields)
}

const EPISODE_TYPES: Readonly<Record<string, string>> = { message: 'message', json: 'document', text: 'document' }

function episodeRecord(part: unknown, uuid: string): MappedRecord {
  const content = pick(part, 'content')
  const type = text(EPISODE_TYPES, text(part, 'source') ?? '') ?? 'document'
  const title = text(part, 'name')
  return toRecord({
    externalId: `episode/${uuid}`,
    type,
    ...(type !== 'message' && { title }),
    text: typeof content === 'string' ? content : JSON.stringify(content),
    occurredAt: moment(part, 'valid_at') ?? moment(part, 'created_at'),
    properties: {
      episode: title,
      source_description: text(part, 'source_description'),
      group_id: text(part, 'group_id'),
    },
  })
}

/** Returns the record of a fact between two entities. Skips `MENTIONS` edges, because episodes contain them as text. */
function edgeItem(part: unknown, line: number, nodes: ReadonlyMap<string, Entity>): ExportItem | undefined {
  const fact = text(part, 'fact')
  const uuid = text(part, 'uuid')
  const subject = nodes.get(text(part, 'source_node_uuid')!)
  const object = nodes.get(text(part, 'target_node_uuid')!)
  const name = text(part, 'name')
  if (!fact && (!name || name === 'MENTIONS' || name.startsWith('HAS_'))) return undefined
  if (!subject || !object) return fact ? { line, error: UNKNOWN_END } : undefined
  const predicate = snakeCase((name ?? 'relates_to').replace(/\s+/g, '_'))
  const validFrom = moment(part, 'valid_at')
  const validTo = moment(part, 'invalid_at') ?? moment(part, 'expired_at')
  const record = factRecord({
    externalId: `fact/${uuid ?? `${subject.name} ${predicate} ${object.name}`}`,
    subject,
    predicate,
    object,
    validFrom,
    ...(isAfter(validTo, validFrom) && { validTo }),
    ...(fact && { text: fact }),
    occurredAt: validFrom ?? moment(part, 'created_at'),
    properties: { group_id: text(part, 'group_id'), learned_at: moment(part, 'created_at') },
  })
  return { line, record }
}

function isAfter(end: string | undefined, start: string | undefined): boolean {
  return end !== undefined && (start === undefined || end >= start)
}

const UNKNOWN_END = { reason: 'unknown_node', detail: 'The nodes of this edge are not defined before it.' }
