import type { Log } from '../../base/log.ts'
import { type KeyHash, plainKeyHash } from './analyser/key-hash.ts'
import { createRecordGraph, type RecordGraph } from './graph/record-graph.ts'
import { type EntityColumns, type Head, HeadGone, type RecordColumns } from './lance/rows.ts'
import type { SandboxStore } from './lance/sandbox-store.ts'
import type { Stores } from './lance/stores.ts'
import type { ParsedRecord } from './read-records.ts'
import { createRecordCache, type RecordCache } from './record-cache.ts'

/** What a request sees of a sandbox. Whatever is computed from it without waiting sees one head. */
export interface SandboxView {
  /** The head that the graph shows; it moves when the graph catches up, as the row numbers do. */
  readonly head: Head
  readonly graph: RecordGraph
  readonly store: SandboxStore
  readonly hash: KeyHash
  /** Records that were read lately, by `cacheKey`. */
  readonly cache: RecordCache<ParsedRecord>
  cacheKey(row: number): string
  /** What a merged entity's id stands for today; any other id is itself. */
  canonical(id: string): string
  /** The record under a hashed `recordKey`. */
  recordWithKey(key: number): string | undefined
  /** Where `store.recordsAt` finds a record; undefined when it is not there. */
  rowOf(recordId: string): number | undefined
  /** Where `store.entitiesAt` finds the entities. */
  entityRowsOf(entityIds: Iterable<string>): number[]
  /** Ids of the live entities of a type, or of all, newest first. */
  entityIds(type: string | undefined): string[]
  /** The id and every id that was merged into it. */
  formerIds(id: string): string[]
}

interface Opened {
  head: Head
  /** Row numbers start anew when a sandbox is built anew, so what is cached by row number belongs to one build. */
  name: string
  graph: RecordGraph
  mergedInto: Map<string, string>
  rows: Map<string, number>
  idsByKey: Map<number, string>
  entities: Map<string, { row: number; type: string }>
  store: SandboxStore
}

interface Entry {
  opened: Opened | undefined
  /** The catch-ups and rebuilds of one sandbox run one after the other. */
  queue: Promise<unknown>
}

export interface SandboxRef {
  userId: string
  sandboxId: string
}

/** Memory for the graphs of all sandboxes together; the least recently used go first. */
const GRAPH_BYTES_MAX = 768 * 2 ** 20
/** Memory for the records of all sandboxes that were read lately. */
const CACHE_BYTES_MAX = 128 * 2 ** 20
/** A catch-up is applied in one go, so that no question sees half of it; a longer one is built aside and swapped in. */
const CATCH_UP_ROWS_MAX = 8_000
/** Building aside lets other work in after so many rows. */
const BUILD_ROWS_BETWEEN_BREATHS = 1_000

/** The knowledge plane: every sandbox's store, and the graphs of those in use. */
export class Knowledge {
  readonly #stores: Stores
  readonly #log: Log
  readonly #entries = new Map<string, Entry>()
  #builds = 0
  readonly #cache = createRecordCache<ParsedRecord>(CACHE_BYTES_MAX)

  constructor(stores: Stores, log: Log) {
    this.#stores = stores
    this.#log = log
  }

  /** The sandbox as it is at the head, or newer. Throws HeadGone when the head is older than what is kept. */
  async view(sandbox: SandboxRef, head: Head): Promise<SandboxView> {
    const entry = this.#touch(sandbox)
    if (!entry.opened || isNewer(head, entry.opened.head)) {
      const turn = entry.queue.then(() => this.#catchUp(sandbox, entry, head))
      entry.queue = turn.catch(() => undefined)
      await turn
      this.#evict()
    }
    return toView(entry.opened as Opened, this.#cache)
  }

  /** Tells that the head has moved, so that the next question need not wait for the catch-up. */
  committed(sandbox: SandboxRef, head: Head): void {
    if (!this.#entries.get(sandbox.sandboxId)?.opened) return
    this.view(sandbox, head).catch((error: unknown) => {
      if (!(error instanceof HeadGone)) this.#log.warn('graph catch-up failed', { sandboxId: sandbox.sandboxId, error })
    })
  }

  /** Removes everything that is stored of the sandbox, and what is held of it in memory; returns the files removed. */
  async erase(sandbox: SandboxRef): Promise<number> {
    this.forget(sandbox)
    const files = await this.#stores.erase(sandbox.userId, sandbox.sandboxId)
    // A question that was under way may have brought some of it back.
    this.forget(sandbox)
    return files
  }

  /** Drops what is held of the sandbox in memory. */
  forget(sandbox: SandboxRef): void {
    this.#entries.delete(sandbox.sandboxId)
    this.forgetRecords(sandbox)
  }

  /** Drops the records of the sandbox that were read lately. */
  forgetRecords({ sandboxId }: SandboxRef): void {
    this.#cache.forget(`${sandboxId}/`)
  }

  /** The sandbox's store, without its graph. */
  store({ userId, sandboxId }: SandboxRef): SandboxStore {
    return this.#stores.open(userId, sandboxId)
  }

  /** The sandboxes that have a folder on the local disk, whether anyone knows of them or not. */
  listLocal(): Promise<SandboxRef[]> {
    return this.#stores.listLocal()
  }

  /** Bytes of the graphs in memory. */
  get graphBytes(): number {
    let bytes = 0
    for (const { opened } of this.#entries.values()) bytes += opened?.graph.bytes ?? 0
    return bytes
  }

  close(): void {
    this.#entries.clear()
    this.#stores.close()
  }

  #touch({ sandboxId }: SandboxRef): Entry {
    const entry = this.#entries.get(sandboxId) ?? { opened: undefined, queue: Promise.resolve() }
    this.#entries.delete(sandboxId)
    this.#entries.set(sandboxId, entry)
    return entry
  }

  async #catchUp(sandbox: SandboxRef, entry: Entry, head: Head): Promise<void> {
    const { opened } = entry
    if (opened && !isNewer(head, opened.head)) return
    if (opened && opened.head.seq >= head.floorSeq) {
      const columns: (RecordColumns | EntityColumns)[] = []
      let rows = 0
      for await (const batch of opened.store.readSince(head, opened.head.seq)) {
        columns.push(batch)
        // A row that only got another number costs nothing to apply.
        rows += batch.moved.reduce((count, moved) => count - moved, batch.count)
        if (rows > CATCH_UP_ROWS_MAX) break
      }
      if (rows <= CATCH_UP_ROWS_MAX) {
        for (const batch of columns) put(opened, batch, 0, batch.count)
        opened.head = head
        return
      }
    }
    entry.opened = await this.#build(sandbox, head)
  }

  async #build(sandbox: SandboxRef, head: Head): Promise<Opened> {
    const store = this.#stores.open(sandbox.userId, sandbox.sandboxId)
    this.#builds += 1
    const opened: Opened = {
      head,
      name: `${sandbox.sandboxId}/${this.#builds}`,
      graph: createRecordGraph(),
      mergedInto: new Map(),
      rows: new Map(),
      idsByKey: new Map(),
      entities: new Map(),
      store,
    }
    for await (const batch of store.readSince(head, 0)) {
      for (let from = 0; from < batch.count; from += BUILD_ROWS_BETWEEN_BREATHS) {
        put(opened, batch, from, Math.min(batch.count, from + BUILD_ROWS_BETWEEN_BREATHS))
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return opened
  }

  #evict(): void {
    let bytes = this.graphBytes
    for (const [sandboxId, { opened }] of this.#entries) {
      if (bytes <= GRAPH_BYTES_MAX || this.#entries.size === 1) return
      this.#entries.delete(sandboxId)
      bytes -= opened?.graph.bytes ?? 0
    }
  }
}

function isNewer(head: Head, than: Head): boolean {
  return (
    head.seq > than.seq ||
    (head.seq === than.seq &&
      (head.recordsVersion > than.recordsVersion ||
        head.entitiesVersion > than.entitiesVersion ||
        head.linksVersion > than.linksVersion))
  )
}

function put(opened: Opened, batch: RecordColumns | EntityColumns, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    if (batch.kind === 'records') putRecord(opened, batch, at)
    else putEntity(opened, batch, at)
  }
}

function putRecord({ graph, rows, idsByKey }: Opened, batch: RecordColumns, at: number): void {
  const id = batch.ids[at]!
  if (!batch.live[at]) {
    rows.delete(id)
    idsByKey.delete(batch.externalKeys[at]!)
    graph.removeRecord(id)
    return
  }
  rows.set(id, batch.rows[at]!)
  if (batch.moved[at] && graph.hasRecord(id, null)) return
  idsByKey.set(batch.externalKeys[at]!, id)
  const occurredAtMs = batch.occurredAtMs[at]!
  graph.putRecord({
    id,
    sourceId: batch.sourceIds[at] ?? null,
    projectId: batch.projectIds[at] ?? null,
    type: batch.types[at]!,
    occurredAtMs: Number.isNaN(occurredAtMs) ? null : occurredAtMs,
    tie: batch.ties[at]!,
    externalKey: batch.externalKeys[at]!,
    analysis: batch.analyses[at]!,
  })
}

function putEntity({ graph, mergedInto, entities }: Opened, batch: EntityColumns, at: number): void {
  const id = batch.ids[at]!
  const into = batch.mergedInto[at]
  if (into) mergedInto.set(id, into)
  else mergedInto.delete(id)
  if (into || !batch.live[at]) {
    entities.delete(id)
    graph.removeEntity(id)
    return
  }
  const isKnown = entities.has(id)
  entities.set(id, { row: batch.rows[at]!, type: batch.types[at]! })
  if (batch.moved[at] && isKnown) return
  graph.putEntity({ id, type: batch.types[at]!, keys: Array.from(batch.keys[at]!) })
}

function toView(opened: Opened, cache: RecordCache<ParsedRecord>): SandboxView {
  const { graph, store, mergedInto, rows, idsByKey, entities } = opened
  const canonical = (id: string): string => {
    let at = id
    for (let next = mergedInto.get(at); next; next = mergedInto.get(at)) at = next
    return at
  }
  return {
    get head() {
      return opened.head
    },
    graph,
    store,
    hash: plainKeyHash,
    cache,
    cacheKey: (row) => `${opened.name}/${row}`,
    canonical,
    recordWithKey: (key) => idsByKey.get(key),
    rowOf: (recordId) => rows.get(recordId),
    entityRowsOf: (entityIds) => [...entityIds].flatMap((id) => entities.get(id)?.row ?? []),
    entityIds: (type) =>
      [...entities]
        .flatMap(([id, entity]) => (!type || entity.type === type ? [id] : []))
        .sort()
        .reverse(),
    formerIds: (id) => [id, ...[...mergedInto.keys()].filter((from) => canonical(from) === id)],
  }
}
