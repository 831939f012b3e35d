import type { Table } from '@lancedb/lancedb'
import type { Table as ArrowTable } from 'apache-arrow'
import { Fenced, HeadGone } from '../port.ts'
import { APPEND_FOLDERS, listFiles, syncNewFiles, syncTree } from './durable.ts'
import { isMissing, type OpenTables } from './open-tables.ts'
import { type DatasetRef, datasetKey, datasetName, localDatasetPath, type SandboxFolder } from './sandbox-folder.ts'

/** An open table of the writer, at the newest version that the writer knows. */
export interface Writer {
  readonly place: DatasetRef
  readonly table: Table
  version: number
  /** Files that are already synced. */
  readonly durableFiles: Set<string>
}

/** Maximum number of open writers. An open writer saves 1 ms per commit. */
const WRITERS_MAX = 128
/** Maximum number of attempts. A stale writer stops at its next SQL access, so one that persists has the lease. */
const ATTEMPTS_MAX = 5

/**
 * Creates versions only directly on top of a head's version. Lance rebases a stale writer's commit without an error,
 * and a crash leaves versions that no head names. Therefore a writer first restores the head's version if it is not the
 * latest. If a commit does not get the next version number, it restores and repeats.
 */
export class Writers {
  readonly #tables: OpenTables
  readonly #writers = new Map<string, Writer>()

  constructor(tables: OpenTables) {
    this.#tables = tables
  }

  /** Appends rows to the version, durably. Returns the new version. Throws Fenced. */
  append(place: DatasetRef, version: number, rows: ArrowTable): Promise<number> {
    if (version === 0) return this.create(place, rows)
    return this.change(place, version, async (writer) => {
      await this.commit(writer, async () => (await writer.table.add(rows)).version)
      const path = localDatasetPath(place)
      if (path) await syncNewFiles(path, APPEND_FOLDERS, writer.durableFiles)
    })
  }

  /** Creates a dataset with only these rows. Replaces an existing one. Returns the durable version. Throws Fenced. */
  async create(place: DatasetRef, rows: ArrowTable): Promise<number> {
    this.forget(place)
    const connection = await this.#tables.connection(place.folder)
    const path = localDatasetPath(place)
    const make = (mode: 'create' | 'overwrite') => connection.createTable(datasetName(place), rows, { mode })
    const table = await make('create').catch((error: unknown) => {
      if (error instanceof Error && /already exists/i.test(error.message)) return make('overwrite')
      throw error
    })
    const version = await table.version()
    if ((await table.countRows()) !== rows.numRows) throw new Fenced(`Another writer created ${datasetName(place)}.`)
    const durableFiles = new Set<string>()
    if (path) await syncTree(path, durableFiles, place.folder.localPaths)
    this.#cache({ place, table, version, durableFiles })
    return version
  }

  /** Runs `work` on a version. Repeats it if another writer interferes. Returns the new version. Throws Fenced. */
  async change(place: DatasetRef, version: number, work: (writer: Writer) => Promise<void>): Promise<number> {
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

  /** Runs one commit. `work` returns the version that it created. Any other than the next one is interference. */
  async commit(writer: Writer, work: () => Promise<number>): Promise<void> {
    const version = await work()
    if (version !== writer.version + 1) throw new Interference(`version ${version} after ${writer.version}`)
    writer.version = version
  }

  /** Drops the writer of a dataset. */
  forget(place: DatasetRef): void {
    this.#writers.delete(datasetKey(place))
  }

  /** Drops the writers of a sandbox. */
  forgetAll(folder: SandboxFolder): void {
    for (const [key, writer] of this.#writers) if (writer.place.folder.uri === folder.uri) this.#writers.delete(key)
  }

  close(): void {
    this.#writers.clear()
  }

  async #openAt(place: DatasetRef, version: number): Promise<Writer> {
    const cached = this.#writers.get(datasetKey(place))
    if (cached?.version === version) return cached
    this.forget(place)
    const path = localDatasetPath(place)
    const durableFiles = path ? await listFiles(path) : new Set<string>()
    try {
      const table = await this.#tables.openLatest(place)
      const latest = await table.version()
      if (latest !== version) {
        await table.checkout(version)
        await table.restore()
        // This is the latest version. It is the restored one only if no other writer has committed meanwhile.
        if ((await table.version()) !== latest + 1) throw new Interference(`another version than ${latest + 1}`)
      }
      return this.#cache({ place, table, version: await table.version(), durableFiles })
    } catch (error) {
      if (!isMissing(error)) throw error
      throw new HeadGone(`${datasetName(place)} has no version ${version}.`, { cause: error })
    }
  }

  #cache(writer: Writer): Writer {
    this.#writers.set(datasetKey(writer.place), writer)
    for (const oldest of this.#writers.values()) {
      if (this.#writers.size <= WRITERS_MAX) break
      this.#writers.delete(datasetKey(oldest.place))
    }
    return writer
  }
}

/** Thrown if another writer committed between this writer's commits. */
export class Interference extends Error {
  override name = 'Interference'
}

function isInterference(error: unknown): boolean {
  // A missing file was pruned by another writer. If it belonged to the head's version, the next attempt fails with
  // HeadGone.
  if (error instanceof Interference || isMissing(error)) return true
  return error instanceof Error && /incompatible transaction|commit conflict|concurrent/i.test(error.message)
}
