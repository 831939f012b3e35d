import { sha256 } from '../../../base/digest.ts'
import { type ExportItem, itemOf, SAMPLED } from '../export-reader.ts'
import { list, moment, pick, present, text } from '../pick.ts'
import { digestOf, type Entity, entity, factRecord, type MappedRecord, toRecord } from '../to-record.ts'

/** Field names for lists of memories. They differ between the platform, the library and OpenMemory. */
const MEMORIES = ['results', 'memories', 'data', 'items'] as const
/** Metadata fields that are stored as separate properties. */
const KNOWN_FIELDS = new Set(['category', 'categories'])

function isMemory(value: unknown): boolean {
  return text(value, 'memory') !== undefined || (text(value, 'content') !== undefined && isMemoryState(value))
}

/** Returns true if a value with `content` has fields that only OpenMemory's memories have. */
function isMemoryState(value: unknown): boolean {
  return (
    text(value, 'state') !== undefined ||
    text(value, 'user_id') !== undefined ||
    pick(value, 'categories') !== undefined
  )
}

export function isMem0(value: unknown): boolean {
  return memoriesOf(value).slice(0, SAMPLED).some(isMemory)
}

function memoriesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return MEMORIES.flatMap((name) => list(value, name))
}

/** Yields the memories and the relations of an export. */
export function* readMem0(value: unknown): Generator<ExportItem> {
  const names = namesOf(value)
  let line = 0
  for (const memory of memoriesOf(value)) {
    line += 1
    if (!isDeleted(memory)) yield itemOf(memoryRecord(memory, names), line)
  }
  for (const relation of list(value, 'relations')) {
    line += 1
    yield itemOf(relationRecord(relation), line)
  }
}

/** Returns the item of a memory outside an export file, such as one line of JSON Lines. */
export function memoryItem(memory: unknown, line: number): ExportItem {
  return itemOf(memoryRecord(memory, NO_NAMES), line)
}

/** Names by id, from an OpenMemory export, whose memories contain only ids. */
interface Names {
  people: ReadonlyMap<string, Entity>
  apps: ReadonlyMap<string, string>
  categories: ReadonlyMap<string, string>
}

const NO_NAMES: Names = { people: new Map(), apps: new Map(), categories: new Map() }

function namesOf(value: unknown): Names {
  const user = pick(value, 'user')
  const id = text(user, 'id')
  const login = text(user, 'user_id')
  const person = entity('person', text(user, 'name') ?? login, { login, email: text(user, 'email') })
  const named = (field: string) =>
    new Map(list(value, field).map((one) => [text(one, 'id') ?? '', text(one, 'name') ?? ''] as const))
  return {
    people: new Map(id && person ? [[id, person]] : []),
    apps: named('apps'),
    categories: named('categories'),
  }
}

/** Returns true if a memory was deleted. OpenMemory exports deleted memories too. */
function isDeleted(memory: unknown): boolean {
  return text(memory, 'state') === 'deleted' || text(memory, 'deleted_at') !== undefined
}

function memoryRecord(memory: unknown, names: Names): MappedRecord | undefined {
  const content = text(memory, 'memory') ?? text(memory, 'content') ?? text(memory, 'text')
  if (!content) return undefined
  const userId = text(memory, 'user_id')
  const user = (userId && names.people.get(userId)) || entity('person', userId, { login: userId })
  const agentId = text(memory, 'agent_id')
  const app = text(memory, 'app') ?? text(memory, 'app_name')
  const appName = app ?? names.apps.get(text(memory, 'app_id') ?? '') ?? text(memory, 'app_id')
  const categories = [...list(memory, 'categories'), ...list(memory, 'category_ids')]
  const updated = moment(memory, 'updated_at')
  const created = moment(memory, 'created_at')
  return toRecord({
    externalId: `memory/${text(memory, 'id') ?? sha256(`${userId ?? ''}\n${content}`).toString('hex')}`,
    type: 'memory',
    text: content,
    occurredAt: created ?? updated,
    asOf: updated ?? created,
    participants: [user],
    entities: [entity('agent', agentId, { id: agentId }), entity('product', appName, { id: text(memory, 'app_id') })],
    properties: {
      ...metadataOf(memory),
      categories: present(categories.map((one) => text(one) && (names.categories.get(text(one)!) ?? text(one)))),
      user: userId && (user?.name ?? userId),
      agent: agentId,
      app: appName,
      run: text(memory, 'run_id'),
      state: text(memory, 'state'),
    },
  })
}

function metadataOf(memory: unknown): Record<string, unknown> {
  const metadata = pick(memory, 'metadata') ?? pick(memory, 'metadata_')
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return {}
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !KNOWN_FIELDS.has(key)))
}

/** Returns the record of a relation of the graph memory: source, relationship and target. */
function relationRecord(relation: unknown): MappedRecord | undefined {
  const from = text(relation, 'source')
  const to = text(relation, 'target') ?? text(relation, 'destination')
  const predicate = text(relation, 'relationship') ?? text(relation, 'relation')
  if (!from || !to || !predicate) return undefined
  const spelled = (name: string) => name.replaceAll('_', ' ')
  const subject = entity(text(relation, 'source_type') ?? 'topic', spelled(from))
  const object = entity(text(relation, 'target_type') ?? text(relation, 'destination_type') ?? 'topic', spelled(to))
  return factRecord({
    externalId: `relation/${digestOf([from, predicate, to])}`,
    subject,
    predicate,
    object,
    text: `${spelled(from)} ${spelled(predicate)} ${spelled(to)}.`,
  })
}
