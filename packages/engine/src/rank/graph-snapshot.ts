import { ANALYSIS_VERSION, ANALYSIS_VERSION_WITH_PASSAGES } from '../text/analysis-codec.ts'
import { ID_WORDS, type IdTable } from './id-table.ts'
import { type KeyIndex, PAGE_WORDS, type Runs } from './number-tables.ts'
import type { Postings } from './postings.ts'
import {
  createSnapshotReader,
  createSnapshotWriter,
  type GraphSnapshot,
  type SnapshotReader,
  type SnapshotWriter,
} from './snapshot.ts'
import { type GraphStore, namePart, type Part } from './store.ts'

/** Version of the tables. Increase it when their meaning changes, so that no process loads an older snapshot. */
const TABLES_VERSION = 1

/** Format of an index snapshot. Numbers are little-endian, the native byte order of all supported platforms. */
export const GRAPH_FORMAT = `graph-${TABLES_VERSION}/analysis-${ANALYSIS_VERSION}-${ANALYSIS_VERSION_WITH_PASSAGES}`

/** Creates an index snapshot. The tables are not copied, so the caller must store them before the graph changes. */
export function toSnapshot(store: GraphStore): GraphSnapshot {
  const writer = createSnapshotWriter()
  const { docIdLimit: records, entityTable, recordTable, vectors } = store
  writePostings(writer, 'terms', store.terms)
  writePostings(writer, 'keys', store.keys)
  writePostings(writer, 'conversations', store.conversations)
  writePostings(writer, 'manyOwners', store.manyOwners)
  writeRuns(writer, 'runs', store.runs)
  writeIds(writer, 'records', recordTable)
  writeIds(writer, 'entities', entityTable)
  writer.table('recordFirsts', store.recordFirsts, recordTable.idLimit)
  for (const [name, array] of recordArrays(store)) writer.table(name, array, records)
  writer.table('entityKinds', store.entityKinds, entityTable.idLimit)
  writer.table('entityAliases', store.entityAliases, entityTable.idLimit)
  writer.table('entityKeys', store.entityKeys, entityTable.idLimit)
  writer.table('keyOwners', store.keyOwners, store.keys.index.idLimit)
  writer.table('keyWords', store.keyWords, store.keys.index.idLimit)
  writer.list(
    'passages',
    [...store.passages].flatMap(([first, others]) => [first, others.length, ...others]),
  )
  writer.list('freePlaces', store.freeDocIds)
  writer.list('withdrawn', store.withdrawn)
  writer.fact('sweptLists', store.sweep?.lists ?? null)
  if (store.sweep) writer.list('swept', store.sweep.docIds)
  writer.fact('version', store.version)
  writer.fact('withdrawals', store.withdrawals)
  writer.fact('recordReach', records)
  writer.fact(
    'parts',
    store.parts.map((part) => ({ ...part })),
  )
  writer.fact('entitiesChanged', store.entitiesChanged)
  writer.fact('vectors', vectors.count)
  writer.fact('hasVectors', vectors.runs !== undefined)
  if (vectors.runs !== undefined) writeRuns(writer, 'vectors', vectors.runs)
  writer.table('vectors.addresses', vectors.addresses, vectors.addresses.length)
  writer.table('vectors.rows', vectors.rows, vectors.rows.length)
  return writer.snapshot(GRAPH_FORMAT)
}

/** Creates a store from an index snapshot. Throws a RangeError for another format or an incomplete table. */
export function fromSnapshot(snapshot: GraphSnapshot): GraphStore {
  if (snapshot.format !== GRAPH_FORMAT) {
    throw new RangeError(`The index snapshot has format ${snapshot.format}, expected ${GRAPH_FORMAT}`)
  }
  const reader = createSnapshotReader(snapshot)
  const records = reader.number('recordReach')
  const keys = readPostings(reader, 'keys')
  const recordTable = readIds(reader, 'records')
  const entityTable = readIds(reader, 'entities')
  const parts = reader.fact('parts') as Part[]
  const sweptLists = reader.fact('sweptLists') as number | null
  return {
    version: reader.number('version'),
    withdrawals: reader.number('withdrawals'),
    terms: readPostings(reader, 'terms'),
    keys,
    conversations: readPostings(reader, 'conversations'),
    orders: new Map(),
    runs: readRuns(reader, 'runs'),
    vectors: {
      runs: reader.fact('hasVectors') === true ? readRuns(reader, 'vectors') : undefined,
      addresses: reader.u32('vectors.addresses', 0),
      rows: reader.f64('vectors.rows', 0),
      count: reader.number('vectors'),
    },
    recordTable,
    recordFirsts: reader.u32('recordFirsts', recordTable.idLimit),
    passages: passagesOf(reader.list('passages')),
    recordNumbers: reader.u32('recordNumbers', records),
    recordPassages: reader.u16('recordPassages', records),
    recordSeqs: reader.f64('recordSeqs', records),
    recordParts: reader.u32('recordParts', records),
    recordLengths: reader.u32('recordLengths', records),
    recordTies: reader.f64('recordTies', records),
    keyedTieBreakers: undefined,
    recordTimes: reader.f64('recordTimes', records),
    recordEntries: reader.u32('recordEntries', records),
    recordTerms: reader.u32('recordTerms', records),
    recordConversations: reader.u32('recordConversations', records),
    recordThreads: reader.u32('recordThreads', records),
    recordPositions: reader.u32('recordPositions', records),
    recordTurns: reader.u8('recordTurns', records),
    recordAuthors: reader.u32('recordAuthors', records),
    docIdLimit: records,
    parts,
    partOrdinals: new Map(parts.map((part, place) => [namePart(part), place] as const).slice(1)),
    entitiesChanged: reader.number('entitiesChanged'),
    entityTable,
    entityKinds: reader.u8('entityKinds', entityTable.idLimit),
    entityAliases: reader.f64('entityAliases', entityTable.idLimit),
    entityKeys: reader.u32('entityKeys', entityTable.idLimit),
    keyOwners: reader.u32('keyOwners', keys.index.idLimit),
    keyWords: reader.u32('keyWords', keys.index.idLimit),
    manyOwners: readPostings(reader, 'manyOwners'),
    freeDocIds: reader.list('freePlaces'),
    unitSums: new Float64Array(0),
    withdrawn: reader.list('withdrawn'),
    sweep: sweptLists === null ? undefined : { docIds: reader.list('swept'), lists: sweptLists },
  }
}

/** Replaces a store's contents with a snapshot. Conversation orders stay cached if no record was removed. */
export function loadSnapshot(store: GraphStore, snapshot: GraphSnapshot): void {
  const { orders, unitSums, withdrawals } = store
  const next = fromSnapshot(snapshot)
  Object.assign(store, next, { unitSums, orders: next.withdrawals === withdrawals ? orders : next.orders })
}

/** Returns the tables that are indexed by document ordinal, by name. */
function recordArrays(store: GraphStore) {
  const { recordNumbers, recordPassages, recordSeqs, recordParts, recordLengths, recordTies, recordTimes } = store
  const { recordEntries, recordTerms, recordConversations, recordThreads, recordPositions } = store
  const { recordTurns, recordAuthors } = store
  return Object.entries({
    ...{ recordNumbers, recordPassages, recordSeqs, recordParts, recordLengths, recordTies, recordTimes },
    ...{ recordEntries, recordTerms, recordConversations, recordThreads, recordPositions },
    ...{ recordTurns, recordAuthors },
  })
}

function passagesOf(list: readonly number[]): GraphStore['passages'] {
  const passages: GraphStore['passages'] = new Map()
  for (let at = 0; at < list.length; at += 2 + list[at + 1]!) {
    passages.set(list[at]!, list.slice(at + 2, at + 2 + list[at + 1]!))
  }
  return passages
}

function writeIndex(writer: SnapshotWriter, name: string, { hashes, slots, idLimit: reach, free }: KeyIndex): void {
  writer.table(`${name}.hashes`, hashes, reach)
  writer.table(`${name}.slots`, slots, slots.length)
  writer.fact(`${name}.reach`, reach)
  writer.list(`${name}.freeIds`, free)
}

function readIndex(reader: SnapshotReader, name: string): KeyIndex {
  const reach = reader.number(`${name}.reach`)
  return {
    hashes: reader.f64(`${name}.hashes`, reach),
    slots: slotsOf(reader, name),
    idLimit: reach,
    free: reader.list(`${name}.freeIds`),
  }
}

/** Reads a hash table's slots. Throws a RangeError unless their number is a power of two, for the bit mask. */
function slotsOf(reader: SnapshotReader, name: string): Uint32Array {
  const slots = reader.u32(`${name}.slots`, 1)
  if ((slots.length & (slots.length - 1)) !== 0) {
    throw new RangeError(`The index snapshot is damaged: the number of slots of ${name} is not a power of two`)
  }
  return slots
}

function writePostings(
  writer: SnapshotWriter,
  name: string,
  { index, heads, counts, pages, top, free }: Postings,
): void {
  writeIndex(writer, name, index)
  writer.table(`${name}.heads`, heads, index.idLimit)
  writer.table(`${name}.counts`, counts, index.idLimit)
  writer.pages(`${name}.pages`, pages)
  writer.fact(`${name}.top`, top)
  writer.list(
    `${name}.freeChunks`,
    free.flatMap((addresses) => [addresses.length, ...addresses]),
  )
}

function readPostings(reader: SnapshotReader, name: string): Postings {
  const index = readIndex(reader, name)
  const chunks = reader.list(`${name}.freeChunks`)
  const free: number[][] = []
  for (let at = 0; at < chunks.length; at += 1 + chunks[at]!) free.push(chunks.slice(at + 1, at + 1 + chunks[at]!))
  return {
    index,
    heads: reader.u32(`${name}.heads`, index.idLimit),
    counts: reader.u32(`${name}.counts`, index.idLimit),
    pages: reader.pages(`${name}.pages`, PAGE_WORDS),
    top: reader.number(`${name}.top`),
    free,
  }
}

function writeRuns(writer: SnapshotWriter, name: string, { pages, top, free }: Runs): void {
  writer.pages(`${name}.pages`, pages)
  writer.fact(`${name}.top`, top)
  writer.list(
    `${name}.free`,
    [...free].flatMap(([words, addresses]) => [words, addresses.length, ...addresses]),
  )
}

function readRuns(reader: SnapshotReader, name: string): Runs {
  const list = reader.list(`${name}.free`)
  const free: Runs['free'] = new Map()
  for (let at = 0; at < list.length; at += 2 + list[at + 1]!) {
    free.set(list[at]!, list.slice(at + 2, at + 2 + list[at + 1]!))
  }
  return { pages: reader.pages(`${name}.pages`, PAGE_WORDS), top: reader.number(`${name}.top`), free }
}

function writeIds(writer: SnapshotWriter, name: string, table: IdTable): void {
  writer.table(`${name}.words`, table.words, table.idLimit * ID_WORDS)
  writer.table(`${name}.slots`, table.slots, table.slots.length)
  writer.list(`${name}.freeIds`, table.free)
  writer.fact(`${name}.reach`, table.idLimit)
  writer.fact(`${name}.used`, table.used)
  writer.fact(`${name}.prefix`, table.prefix ?? null)
  writer.fact(`${name}.odd`, [...table.unpacked])
}

function readIds(reader: SnapshotReader, name: string): IdTable {
  const reach = reader.number(`${name}.reach`)
  return {
    prefix: (reader.fact(`${name}.prefix`) as string | null) ?? undefined,
    words: reader.u16(`${name}.words`, reach * ID_WORDS),
    unpacked: new Map(reader.fact(`${name}.odd`) as [number, string][]),
    idLimit: reach,
    slots: slotsOf(reader, name),
    free: reader.list(`${name}.freeIds`),
    used: reader.number(`${name}.used`),
  }
}
