import { sha256 } from '../../../base/digest.ts'
import { digestOf, factRecord, type MappedRecord, type Thing, thing, toRecord } from '../draft.ts'
import { type ExportItem, NOT_UNDERSTOOD } from '../export-reader.ts'
import { list, moment, pick, present, text } from '../pick.ts'

/** Where lists of memories stand: the platform, the library and OpenMemory each call it otherwise. */
const MEMORIES = ['results', 'memories', 'data', 'items'] as const
/** Fields of a memory that records have under their own names. */
const KNOWN_FIELDS = new Set(['category', 'categories'])

/** Whether a value is a memory as mem0 writes one. */
function isMemory(value: unknown): boolean {
  return text(value, 'memory') !== undefined || (text(value, 'content') !== undefined && isMemoryState(value))
}

/** OpenMemory says of each memory in what state it is; other things with content do not. */
function isMemoryState(value: unknown): boolean {
  return (
    text(value, 'state') !== undefined ||
    text(value, 'user_id') !== undefined ||
    pick(value, 'categories') !== undefined
  )
}

/** Whether a JSON value is an export of mem0. */
export function isMem0(value: unknown): boolean {
  return memoriesOf(value).slice(0, SAMPLED).some(isMemory)
}

/** How many entries are looked at to recognise a list. */
const SAMPLED = 20

function memoriesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return MEMORIES.flatMap((name) => list(value, name))
}

/** The memories and the relations of an export. */
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

/** The item of a memory that stands alone. */
export function memoryItem(memory: unknown, line: number): ExportItem {
  return itemOf(memoryRecord(memory, NO_NAMES), line)
}

function itemOf(record: MappedRecord | undefined, line: number): ExportItem {
  return record ? { line, record } : { line, error: NOT_UNDERSTOOD }
}

/** Names that an OpenMemory export gives once, by the ids that its memories use. */
interface Names {
  people: ReadonlyMap<string, Thing>
  apps: ReadonlyMap<string, string>
  categories: ReadonlyMap<string, string>
}

const NO_NAMES: Names = { people: new Map(), apps: new Map(), categories: new Map() }

function namesOf(value: unknown): Names {
  const user = pick(value, 'user')
  const id = text(user, 'id')
  const login = text(user, 'user_id')
  const person = thing('person', text(user, 'name') ?? login, { login, email: text(user, 'email') })
  const named = (field: string) =>
    new Map(list(value, field).map((one) => [text(one, 'id') ?? '', text(one, 'name') ?? ''] as const))
  return {
    people: new Map(id && person ? [[id, person]] : []),
    apps: named('apps'),
    categories: named('categories'),
  }
}

/** OpenMemory keeps what was deleted, so that it can be shown as such. */
function isDeleted(memory: unknown): boolean {
  return text(memory, 'state') === 'deleted' || text(memory, 'deleted_at') !== undefined
}

/** The record of one memory. */
function memoryRecord(memory: unknown, names: Names): MappedRecord | undefined {
  const said = text(memory, 'memory') ?? text(memory, 'content') ?? text(memory, 'text')
  if (!said) return undefined
  const userId = text(memory, 'user_id')
  const user = (userId && names.people.get(userId)) || thing('person', userId, { login: userId })
  const agentId = text(memory, 'agent_id')
  const app = text(memory, 'app') ?? text(memory, 'app_name')
  const appName = app ?? names.apps.get(text(memory, 'app_id') ?? '') ?? text(memory, 'app_id')
  const categories = [...list(memory, 'categories'), ...list(memory, 'category_ids')]
  const updated = moment(memory, 'updated_at')
  const created = moment(memory, 'created_at')
  return toRecord({
    externalId: `memory/${text(memory, 'id') ?? sha256(`${userId ?? ''}\n${said}`).toString('hex')}`,
    type: 'memory',
    text: said,
    occurredAt: created ?? updated,
    asOf: updated ?? created,
    participants: [user],
    entities: [thing('agent', agentId, { id: agentId }), thing('product', appName, { id: text(memory, 'app_id') })],
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

/** The graph memory's relations: a source, what holds, and a target. */
function relationRecord(relation: unknown): MappedRecord | undefined {
  const from = text(relation, 'source')
  const to = text(relation, 'target') ?? text(relation, 'destination')
  const predicate = text(relation, 'relationship') ?? text(relation, 'relation')
  if (!from || !to || !predicate) return undefined
  const spoken = (name: string) => name.replaceAll('_', ' ')
  const subject = thing(text(relation, 'source_type') ?? 'topic', spoken(from))
  const object = thing(text(relation, 'target_type') ?? text(relation, 'destination_type') ?? 'topic', spoken(to))
  return factRecord({
    externalId: `relation/${digestOf([from, predicate, to])}`,
    subject,
    predicate,
    object,
    text: `${spoken(from)} ${spoken(predicate)} ${spoken(to)}.`,
  })
}
