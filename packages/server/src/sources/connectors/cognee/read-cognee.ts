import { type ExportItem, NOT_UNDERSTOOD } from '../export-reader.ts'
import { moment, pick, present, text } from '../pick.ts'
import { digestOf, type Entity, entity, factRecord, type MappedRecord, snakeCase, toRecord } from '../to-record.ts'

interface GraphNode {
  id: string
  /** Node type in Cognee: `Entity`, `EntityType`, `DocumentChunk`, `TextSummary`, `TextDocument` or another. */
  kind: string
  name: string | undefined
  fields: unknown
  line: number
}

interface Edge {
  from: string
  to: string
  relation: string
  line: number
}

/** Relations that Cognee adds to organize the graph. They state no facts, so they give no records. */
const STRUCTURAL = new Set([
  ...['contains', 'is_part_of', 'is_a', 'made_from', 'belongs_to_set', 'exists_in', 'mentioned_in', 'chunks'],
])
/** Record type by node type, for nodes that are passages or summaries. */
const TEXTS: Readonly<Record<string, string>> = { DocumentChunk: 'document_chunk', TextSummary: 'summary' }

/** Returns true if a JSON value is a Cognee export: nodes with ids, and edges between them. */
export function isCognee(value: unknown): boolean {
  const { nodes, edges } = graphOf(value)
  return nodes.length > 0 && nodes.every(({ id }) => id !== '') && (edges.length > 0 || nodes.some(isKnownKind))
}

function isKnownKind({ kind }: GraphNode): boolean {
  return kind === 'Entity' || kind === 'EntityType' || Object.hasOwn(TEXTS, kind) || kind.endsWith('Document')
}

/** Yields the passages, summaries, entities and relations of an export. */
export function* readCognee(value: unknown): Generator<ExportItem> {
  const { nodes, edges, wrong } = graphOf(value)
  for (const line of wrong) yield { line, error: NOT_UNDERSTOOD }
  const graph = new Map(nodes.map((node) => [node.id, node]))
  const from = new Map<string, Edge[]>()
  for (const edge of edges) {
    const others = from.get(edge.from)
    if (others) others.push(edge)
    else from.set(edge.from, [edge])
  }
  const entities = new Map<string, Entity | undefined>()
  const entityOf = (id: string): Entity | undefined => {
    if (!entities.has(id)) entities.set(id, toEntity(graph.get(id), from.get(id) ?? [], graph))
    return entities.get(id)
  }
  // A node can be listed more than once; the map has each id once.
  for (const node of graph.values()) {
    if (node.kind === 'EntityType') continue
    const record = nodeRecord(node, from.get(node.id) ?? [], graph, entityOf)
    if (record) yield { line: node.line, record }
  }
  for (const edge of edges) {
    if (STRUCTURAL.has(edge.relation)) continue
    const record = edgeRecord(edge, entityOf)
    if (record) yield { line: edge.line, record }
  }
}

/** Reads nodes and edges in both formats: the objects of Cognee's API and the tuples of its library. */
function graphOf(value: unknown): { nodes: GraphNode[]; edges: Edge[]; wrong: number[] } {
  const parts = Array.isArray(value) ? value : [pick(value, 'nodes'), pick(value, 'edges') ?? pick(value, 'links')]
  const [givenNodes, givenEdges] = parts.map((part) => (Array.isArray(part) ? part : []))
  const wrong: number[] = []
  const nodes = (givenNodes ?? []).flatMap((given, index): GraphNode[] => {
    const [id, fields] = Array.isArray(given) ? [text(given[0]), given[1]] : [text(given, 'id'), given]
    const more = pick(fields, 'properties') ?? fields
    if (!id) {
      wrong.push(index + 1)
      return []
    }
    const kind = text(fields, 'type') ?? text(more, 'type') ?? text(more, 'pydantic_type') ?? 'Entity'
    const name = text(more, 'name') ?? text(fields, 'name') ?? text(fields, 'label')
    return [{ id, kind, name, fields: more, line: index + 1 }]
  })
  const edges = (givenEdges ?? []).flatMap((given, index): Edge[] => {
    const line = (givenNodes?.length ?? 0) + index + 1
    const [from, to, relation] = Array.isArray(given)
      ? [text(given[0]), text(given[1]), text(given[2])]
      : [
          text(given, 'source') ?? text(given, 'source_node_id'),
          text(given, 'target') ?? text(given, 'target_node_id'),
          text(given, 'label') ?? text(given, 'relation') ?? text(given, 'relationship_name'),
        ]
    if (from && to && relation) return [{ from, to, relation, line }]
    wrong.push(line)
    return []
  })
  return { nodes, edges, wrong }
}

/** Returns the entity of a node. Its type is the target of the node's `is_a` edge. */
function toEntity(
  node: GraphNode | undefined,
  edges: readonly Edge[],
  graph: ReadonlyMap<string, GraphNode>,
): Entity | undefined {
  if (!node || Object.hasOwn(TEXTS, node.kind)) return undefined
  const typed = edges.find(({ relation }) => relation === 'is_a')
  const type = (typed && graph.get(typed.to)?.name) ?? (node.kind === 'Entity' ? 'topic' : node.kind)
  return entity(snakeCase(type), node.name, { cognee: node.id })
}

function nodeRecord(
  { id, kind, name, fields }: GraphNode,
  edges: readonly Edge[],
  graph: ReadonlyMap<string, GraphNode>,
  entityOf: (id: string) => Entity | undefined,
): MappedRecord | undefined {
  const occurredAt = moment(fields, 'created_at')
  const recordType = text(TEXTS, kind)
  if (recordType) {
    const whole = edges.find(({ relation }) => relation === 'is_part_of' || relation === 'made_from')
    const document = whole && graph.get(whole.to)?.name
    return toRecord({
      externalId: `${recordType}/${id}`,
      type: recordType,
      text: text(fields, 'text') ?? text(fields, 'summary') ?? text(fields, 'description'),
      occurredAt,
      entities: present(edges.filter(({ relation }) => relation === 'contains').map(({ to }) => entityOf(to))),
      properties: { document, position: pick(fields, 'chunk_index') },
    })
  }
  const own = entityOf(id)
  if (!own) return undefined
  return toRecord({
    externalId: `node/${id}`,
    type: own.type,
    title: own.name,
    text: text(fields, 'description') ?? text(fields, 'text'),
    occurredAt,
    entities: [own],
    properties: { location: text(fields, 'raw_data_location'), mime_type: text(fields, 'mime_type'), name },
  })
}

function edgeRecord(edge: Edge, entityOf: (id: string) => Entity | undefined): MappedRecord | undefined {
  const subject = entityOf(edge.from)
  const object = entityOf(edge.to)
  if (!subject || !object) return undefined
  const externalId = `edge/${digestOf([edge.from, edge.relation, edge.to])}`
  return factRecord({ externalId, subject, predicate: edge.relation, object })
}
