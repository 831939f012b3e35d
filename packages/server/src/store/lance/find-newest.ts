import { declaredKeys } from '@cairnstore/engine/rank'
import type { Table } from '@lancedb/lancedb'
import type { Head } from '../../db/head.ts'
import type { IsContent, Kind, NewestStored } from '../port.ts'
import { listManifests, setAsideBrokenManifests } from './broken-manifests.ts'
import * as decode from './decode.ts'
import { listDatasets } from './purge.ts'
import { datasetAt, type StoreParts } from './reader.ts'
import { queryRows } from './row-log.ts'
import { type DatasetRef, datasetName, packDatasetState } from './sandbox-folder.ts'
import { COLUMNS } from './shapes.ts'

/** The datasets whose versions must be of the same commit. Vectors may be of any. */
const CONSISTENT_KINDS = ['records', 'entities', 'links'] as const
type ConsistentKind = (typeof CONSISTENT_KINDS)[number]

/** A dataset version that could be read completely. */
interface Examined {
  readonly place: DatasetRef
  readonly version: number
  /** Commit of its newest row, and the last commit or compaction that placed a row. */
  readonly seq: number
  readonly placed: number
  /** The newest seq of each id, and whether that row is live. */
  readonly rows: ReadonlyMap<string, { seq: number; live: boolean }>
  readonly keys: ReadonlySet<number>
}

/** The newest readable version of a dataset, if any. `isBroken` is true if a newer one could not be read. */
interface ReadVersion {
  readonly examined?: Examined
  readonly isBroken: boolean
}

/** Inputs and results of the search for the newest state. */
interface Search {
  readonly head: Head
  readonly isContent: IsContent
  readonly stored: readonly DatasetRef[]
  /** Names of the datasets whose newest versions cannot be opened. */
  readonly broken: ReadonlySet<string>
  /** Descriptions of unreadable or omitted data. */
  readonly notes: string[]
}

/**
 * Finds the newest complete state of a sandbox, regardless of the head: the newest readable version of each dataset,
 * all from one commit. Skips incomplete commits. Reads everything. Manifests of newer versions that cannot be opened
 * stay renamed until `restoreNames` is called.
 */
export async function findNewest(parts: StoreParts, head: Head, isContent: IsContent): Promise<NewestStored> {
  const stored = await listDatasets(parts)
  const search = { head, isContent, stored, broken: new Set<string>(), notes: [] as string[] }
  const renamed: { restoreNames(): Promise<void> }[] = []
  const restoreNames = async () => {
    for (const each of renamed) await each.restoreNames()
  }
  try {
    for (const place of stored) {
      const found = await setAsideBrokenManifests(parts, place)
      if (!found) continue
      renamed.push(found)
      search.broken.add(datasetName(place))
      for (const version of found.versions) {
        search.notes.push(`${datasetName(place)}: version ${version} cannot be opened and is skipped`)
      }
    }
    return { ...(await searchStored(parts, search)), restoreNames }
  } catch (error) {
    await restoreNames()
    throw error
  }
}

type Found = Omit<NewestStored, 'restoreNames'>

async function searchStored(parts: StoreParts, search: Search): Promise<Found> {
  const { head, stored, notes } = search
  if (stored.length === 0) return { head: head.seq === 0 ? head : undefined, isEmpty: true, records: 0, notes }
  const places = await choosePlaces(parts, head, stored)
  let upTo = Number.POSITIVE_INFINITY
  for (;;) {
    const found = new Map<ConsistentKind, Examined>()
    let next = upTo
    for (const kind of CONSISTENT_KINDS) {
      const place = places.get(kind)
      const { examined, isBroken } = place ? await newestUpTo(parts, place, upTo, search) : NO_VERSION
      if (examined) found.set(kind, examined)
      if (isBroken) next = Math.min(next, examined?.seq ?? 0)
    }
    const seq = Math.max(0, ...[...found.values()].map((each) => each.seq))
    if (next < upTo && next < seq) {
      if (next === 0) return { head: undefined, isEmpty: false, records: 0, notes }
      upTo = next
      continue
    }
    const missing = CONSISTENT_KINDS.filter((kind) => head[`${kind}Version`] > 0 && !found.has(kind))
    // A backup from before the first link has no links dataset. One with all commits of the head has lost it.
    if (missing.length > 0 && (seq >= head.seq || missing.includes('records'))) {
      notes.push(`${missing.join(' and ')}: no version is readable`)
      return { head: undefined, isEmpty: false, records: 0, notes }
    }
    const isAtHead = CONSISTENT_KINDS.every((kind) => packed(found.get(kind)) === head[`${kind}Version`])
    if (!isAtHead && !(await isWhole(parts, found, seq))) {
      notes.push(`commit ${seq} is incomplete and is skipped`)
      upTo = seq - 1
      continue
    }
    return { ...(await headAt(parts, search, found, places.get('vectors'), isAtHead)), notes }
  }
}

const NO_VERSION: ReadVersion = { isBroken: false }

function packed(examined: Examined | undefined): number {
  return examined ? packDatasetState({ generation: examined.place.generation, version: examined.version }) : 0
}

/** Chooses the generation of each dataset: a later one if commits continued in it, otherwise the head's. */
async function choosePlaces(parts: StoreParts, head: Head, stored: readonly DatasetRef[]) {
  const newest = new Map<Kind, DatasetRef>()
  const ofHead = new Map<Kind, DatasetRef>()
  for (const place of stored) {
    if (place.generation >= (newest.get(place.kind)?.generation ?? 0)) newest.set(place.kind, place)
    if (place.generation === datasetAt(parts.folder, head, place.kind).place.generation) ofHead.set(place.kind, place)
  }
  for (const kind of CONSISTENT_KINDS) {
    const [last, own] = [newest.get(kind), ofHead.get(kind)]
    if (!last || last === own) continue
    if (!own || (await continuesAfter(parts, own, last))) return newest
  }
  return ofHead
}

/** Returns true if the later generation has commits after the one that copied the rows. */
async function continuesAfter(parts: StoreParts, former: DatasetRef, later: DatasetRef): Promise<boolean> {
  const [before, after] = [await lastCommit(parts, former), await lastCommit(parts, later)]
  return before !== undefined && after !== undefined && after > before + 1
}

async function lastCommit(parts: StoreParts, place: DatasetRef): Promise<number | undefined> {
  try {
    const table = await parts.tables.openLatest(place)
    let last = 0
    for await (const batch of queryRows(table, ['seq', 'placed'], undefined)) {
      for (const name of ['seq', 'placed']) for (const each of decode.numbers(batch, name)) last = Math.max(last, each)
    }
    table.close()
    return last
  } catch {
    return undefined
  }
}

/** Finds the newest readable version that has no row after commit `upTo`. */
async function newestUpTo(
  parts: StoreParts,
  place: DatasetRef,
  upTo: number,
  { isContent, broken, notes }: Search,
): Promise<ReadVersion> {
  let isBroken = broken.has(datasetName(place))
  for (const version of await listManifests(place)) {
    try {
      const examined = await parts.tables.read(place, version, async (table) => {
        const isLater = Number.isFinite(upTo) && (await table.countRows(`seq > ${upTo}`)) > 0
        return isLater ? undefined : examine(table, place, version, isContent)
      })
      if (examined) return { examined, isBroken }
    } catch {
      const note = `${datasetName(place)}: version ${version} cannot be read completely`
      if (!notes.includes(note)) notes.push(note)
      isBroken = true
    }
  }
  return { isBroken }
}

async function examine(table: Table, place: DatasetRef, version: number, isContent: IsContent): Promise<Examined> {
  const rows = new Map<string, { seq: number; live: boolean }>()
  const keysOf = new Map<string, Float64Array>()
  let [seq, placed] = [0, 0]
  for await (const batch of queryRows(table, COLUMNS[place.kind], undefined)) {
    const [ids, seqs] = [decode.texts(batch, 'id'), decode.numbers(batch, 'seq')]
    const [live, moved] = [decode.flags(batch, 'live'), decode.numbers(batch, 'placed')]
    const contents = decode.blobs(batch, place.kind === 'vectors' ? 'vector' : 'content')
    const keys = place.kind === 'entities' ? decode.floatLists(batch, 'keys') : undefined
    for (const [at, id] of ids.entries()) {
      if (place.kind !== 'vectors' && !isContent(contents[at]!))
        throw new Error(`the encryption of ${id} does not match its sandbox`)
      seq = Math.max(seq, seqs[at]!)
      placed = Math.max(placed, moved[at]!)
      if (seqs[at]! < (rows.get(id)?.seq ?? 0)) continue
      rows.set(id, { seq: seqs[at]!, live: live[at] === 1 })
      if (keys) keysOf.set(id, keys[at]!)
    }
  }
  const keys = new Set<number>()
  for (const [id, each] of keysOf) if (rows.get(id)?.live) for (const key of each) keys.add(key)
  return { place, version, seq, placed, rows, keys }
}

/** Returns true if the last commit is complete: everything that its rows refer to exists. */
async function isWhole(parts: StoreParts, found: ReadonlyMap<ConsistentKind, Examined>, seq: number): Promise<boolean> {
  const [records, entities, links] = CONSISTENT_KINDS.map((kind) => found.get(kind))
  const isEntity = (id: string | null) => id === null || entities?.rows.has(id) === true
  for await (const batch of rowsOfCommit(parts, links, ['live', 'record_id', 'subject_id', 'object_id'], seq)) {
    const [recordIds, subjects] = [decode.texts(batch, 'record_id'), decode.texts(batch, 'subject_id')]
    const [objects, live] = [decode.optionalTexts(batch, 'object_id'), decode.flags(batch, 'live')]
    for (const [at, recordId] of recordIds.entries()) {
      if (live[at] !== 1) continue
      if (!records?.rows.get(recordId)?.live || !isEntity(subjects[at]!) || !isEntity(objects[at]!)) return false
    }
  }
  for await (const batch of rowsOfCommit(parts, records, ['live', 'analysis'], seq)) {
    const live = decode.flags(batch, 'live')
    for (const [at, analysis] of decode.blobs(batch, 'analysis').entries()) {
      if (live[at] === 1 && declaredKeys(analysis).some((key) => entities?.keys.has(key) !== true)) return false
    }
  }
  return true
}

async function* rowsOfCommit(
  parts: StoreParts,
  examined: Examined | undefined,
  columns: readonly string[],
  seq: number,
) {
  if (!examined) return
  const { place, version } = examined
  yield* parts.tables.stream(place, version, async function* (table) {
    yield* queryRows(table, columns, `seq = ${seq}`)
  })
}

/** Returns the head for these datasets. Vectors of any commit are valid, since each names its record version. */
async function headAt(
  parts: StoreParts,
  search: Search,
  found: ReadonlyMap<ConsistentKind, Examined>,
  vectorsAt: DatasetRef | undefined,
  isAtHead: boolean,
): Promise<Omit<Found, 'notes'>> {
  const { head } = search
  const records = [...(found.get('records')?.rows.values() ?? [])].filter(({ live }) => live).length
  const searchWithoutNotes = { ...search, notes: [] }
  const vectors = vectorsAt && (await newestUpTo(parts, vectorsAt, Number.POSITIVE_INFINITY, searchWithoutNotes))
  const isSound = isAtHead && (head.vectorsVersion === 0 || (vectors?.examined && !vectors.isBroken))
  if (isSound) return { head, isEmpty: false, records }
  const storedSeq = Math.max(...[...found.values()].map(({ seq }) => seq))
  const placed = [...found.values(), ...(vectors?.examined ? [vectors.examined] : [])].map((each) => each.placed)
  // The next commit must not reuse a number.
  const seq = Math.max(head.seq, storedSeq, ...placed)
  return {
    head: {
      ...head,
      recordsVersion: packed(found.get('records')),
      entitiesVersion: packed(found.get('entities')),
      linksVersion: packed(found.get('links')),
      vectorsVersion: packed(vectors?.examined),
      seq,
      floorSeq: seq,
      graphImage: null,
    },
    isEmpty: false,
    records,
    storedSeq,
  }
}
