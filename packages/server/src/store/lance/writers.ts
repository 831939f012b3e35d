import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import { Fenced, HeadGone } from '../port.ts'
import { APPEND_FOLDERS, listFiles, syncNewIn, syncTree } from './durable.ts'
import { isMissing, type OpenTables } from './open-tables.ts'
import { type DatasetPlace, datasetKey, datasetName, localDatasetPath, type SandboxFolder } from './sandbox-folder.ts'

/** A table that the writer keeps open, at the newest version that the writer knows of. */
export interface Writer {
  readonly place: DatasetPlace
  readonly table: Table
  version: number
  /** Files that need no sync any more. */
  readonly durableFiles: Set<string>
}

/** Writers kept open over all sandboxes: an open one saves a commit 1 ms. */
const WRITERS_MAX = 128
/** A stale writer gives up at its first look at SQL; one that still interferes after this many rounds is the holder. */
const ATTEMPTS_MAX = 5

/**
 * Makes versions on top of a head, and only on top of it. Lance rebases a stale writer's commit onto the chain without
 * an error, and a crash leaves versions that no head names. So a writer restores the head's version when it is not
 * the latest, accepts only base + 1 after each of its commits, and otherwise restores and repeats.
 */
export class Writers {
  readonly #tables: OpenTables
  readonly #writers = new Map<string, Writer>()

  constructor(tables: OpenTables) {
    this.#tables = tables
  }

  /** Appends rows on the version and makes them durable; returns the new version. Throws Fenced. */
  append(place: DatasetPlace, version: number, rows: ArrowTable): Promise<number> {
    if (version === 0) return this.create(place, rows)
    return this.change(place, version, async (writer) => {
      await this.commit(writer, async () => (await writer.table.add(rows)).version)
      const path = localDatasetPath(place)
      if (path) await syncNewIn(path, APPEND_FOLDERS, writer.durableFiles)
    })
  }

  /**
   * Makes a dataset of these rows alone, durable, whatever a crash left in its place; returns its version. Throws
   * Fenced.
   */
  async create(place: DatasetPlace, rows: ArrowTable): Promise<number> {
    this.forget(place)
    const connection = await this.#tables.connection(place.folder)
    const path = localDatasetPath(place)
    const make = (mode: 'create' | 'overwrite') => connection.createTable(datasetName(place), rows, { mode })
    const table = await make('create').catch((error: unknown) => {
      if (error instanceof Error && /already exists/i.test(error.message)) return make('overwrite')
      throw error
    })
    const version = await table.version()
    if ((await table.countRows()) !== rows.numRows) throw new Fenced(`Another writer is making ${datasetName(place)}.`)
    const durableFiles = new Set<string>()
    if (path) await syncTree(path, durableFiles, place.folder.localPaths)
    this.#keep({ place, table, version, durableFiles })
    return version
  }

  /**
   * Runs `work` on a writer at the version until no one interferes; returns the version that it leaves. Throws Fenced.
   */
  async change(place: DatasetPlace, version: number, work: (writer: Writer) => Promise<void>): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      try {
        const writer = await this.#openAt(place, version)
        await work(writer)
        return writer.version
      } catch (error) {
        this.forget(place)
        if (!isInterference(error)) throw error
      }
    }
    throw new Fenced(`Another writer keeps changing ${datasetName(place)} in ${place.folder.uri}.`)
  }

  /** One commit of `work`, which returns the version that it made: anything but the next one is interference. */
  async commit(writer: Writer, work: () => Promise<number>): Promise<void> {
    const version = await work()
    if (version !== writer.version + 1) throw new Interference(`version ${version} after ${writer.version}`)
    writer.version = version
  }

  /** Forgets the writer of a dataset. */
  forget(place: DatasetPlace): void {
    this.#writers.delete(datasetKey(place))
  }

  /** Forgets the writers of a sandbox. */
  forgetAll(folder: SandboxFolder): void {
    for (const [key, writer] of this.#writers) if (writer.place.folder.uri === folder.uri) this.#writers.delete(key)
  }

  /** Forgets every writer. */
  close(): void {
    this.#writers.clear()
  }

  async #openAt(place: DatasetPlace, version: number): Promise<Writer> {
    const kept = this.#writers.get(datasetKey(place))
    if (kept?.version === version) return kept
    this.forget(place)
    const path = localDatasetPath(place)
    const durableFiles = path ? await listFiles(path) : new Set<string>()
    try {
      const table = await this.#tables.openLatest(place)
      const latest = await table.version()
      if (latest !== version) {
        await table.checkout(version)
        await table.restore()
        // Lance then shows the latest version, which is the restored one only when nobody wrote meanwhile.
        if ((await table.version()) !== latest + 1) throw new Interference(`a version beside ${latest + 1}`)
      }
      return this.#keep({ place, table, version: await table.version(), durableFiles })
    } catch (error) {
      if (!isMissing(error)) throw error
      throw new HeadGone(`${datasetName(place)} has no version ${version}.`, { cause: error })
    }
  }

  #keep(writer: Writer): Writer {
    this.#writers.set(datasetKey(writer.place), writer)
    for (const oldest of this.#writers.values()) {
      if (this.#writers.size <= WRITERS_MAX) break
      this.#writers.delete(datasetKey(oldest.place))
    }
    return writer
  }
}

/** A commit landed between the writer's own. */
export class Interference extends Error {
  override name = 'Interference'
}

function isInterference(error: unknown): boolean {
  // Missing is what another writer's pruning took away; if that was the head's version, the next try says so.
  if (error instanceof Interference || isMissing(error)) return true
  return error instanceof Error && /incompatible transaction|commit conflict|concurrent/i.test(error.message)
}
