import { link, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { timeoutSignal } from '../../base/timeout-signal.ts'
import { ignoreCode } from './durable.ts'
import { isMissing } from './open-tables.ts'
import type { StoreParts } from './reader.ts'
import { listNames, openS3 } from './s3.ts'
import { type DatasetRef, datasetKey, datasetName, localDatasetPath } from './sandbox-folder.ts'

/** The newest manifests of a dataset, renamed because Lance could not open them. */
interface RenamedManifests {
  /** Versions of the renamed manifests, newest first. */
  readonly versions: readonly number[]
  /** Restores their names. A newer file under the same name is kept. */
  restoreNames(): Promise<void>
}

const FOLDER = '_versions'
const MANIFEST = /^_versions\/(\d+)\.manifest$/
/** Suffix that hides a manifest from Lance. */
const HIDDEN_SUFFIX = '.unreadable'
/** Lance names manifests by 2^64 - 1 - version, or, in an older scheme, by version. */
const LAST_VERSION = 2n ** 64n - 1n
const NUMBER_DIGITS = 20
/** Matches Lance errors of an unavailable store. They do not mean that stored data is broken. */
const STORE_FAILED = /\bos error\b|\bGeneric\b|\bretr(?:y|ies)\b|time[ds]? ?out|denied|unauthenticated/i
const ANSWER_MS_MAX = 30_000
const TAKEN = 412

/** Renames the newest manifests until the dataset opens. Restores all names if it never does or the store fails. */
export async function setAsideBrokenManifests(
  parts: StoreParts,
  place: DatasetRef,
): Promise<RenamedManifests | undefined> {
  const files = filesOf(place)
  const manifests = newestFirst(await files.list())
  const renamed: typeof manifests = []
  const restoreNames = async () => {
    for (const { name } of renamed) await files.rename(`${name}${HIDDEN_SUFFIX}`, name)
    parts.tables.forget(`${datasetKey(place)}@`)
  }
  try {
    for (const manifest of manifests) {
      if (await canOpen(parts, place)) break
      await files.rename(manifest.name, `${manifest.name}${HIDDEN_SUFFIX}`)
      renamed.push(manifest)
    }
  } catch (error) {
    await restoreNames()
    throw error
  }
  if (renamed.length > 0 && renamed.length < manifests.length) return { versions: versionsIn(renamed), restoreNames }
  await restoreNames()
  return undefined
}

/** Returns the versions of a dataset that have a manifest, newest first. */
export async function listManifests(place: DatasetRef): Promise<number[]> {
  return versionsIn(newestFirst(await filesOf(place).list()))
}

function versionsIn(manifests: readonly { version: number }[]): number[] {
  return manifests.map(({ version }) => version)
}

function newestFirst(names: readonly string[]): { name: string; version: number }[] {
  const found = names.flatMap((name) => {
    const number = MANIFEST.exec(name)?.[1]
    if (number === undefined) return []
    const isFromEnd = number.length === NUMBER_DIGITS
    return [{ name, version: Number(isFromEnd ? LAST_VERSION - BigInt(number) : number) }]
  })
  return found.sort((one, other) => other.version - one.version)
}

async function canOpen({ tables }: StoreParts, place: DatasetRef): Promise<boolean> {
  try {
    const connection = await tables.connection(place.folder)
    const table = await connection.openTable(datasetName(place))
    table.close()
    return true
  } catch (error) {
    if (error instanceof Error && STORE_FAILED.test(error.message)) throw error
    // A missing dataset is not broken.
    return isMissing(error)
  }
}

/** The files of a dataset, by their relative names. */
interface DatasetFiles {
  list(): Promise<string[]>
  /** Renames a file. If the new name is taken, the file that has it is kept. */
  rename(from: string, to: string): Promise<void>
}

function filesOf(place: DatasetRef): DatasetFiles {
  const path = localDatasetPath(place)
  return path === undefined ? remoteFiles(place) : localFiles(path)
}

function localFiles(path: string): DatasetFiles {
  return {
    list: async () => {
      const names = (await readdir(join(path, FOLDER)).catch(ignoreCode('ENOENT'))) ?? []
      return names.map((name) => `${FOLDER}/${name}`)
    },
    rename: async (from, to) => {
      await link(join(path, from), join(path, to)).catch(ignoreCode('EEXIST'))
      await unlink(join(path, from))
    },
  }
}

function remoteFiles(place: DatasetRef): DatasetFiles {
  const { folder } = place
  const root = `${datasetName(place)}.lance/`
  const ask = async (name: string, init: RequestInit) => {
    const reply = await openS3(folder).ask(root + name, { ...init, signal: timeoutSignal(ANSWER_MS_MAX) })
    const body = await reply.arrayBuffer()
    if (reply.ok || (init.method === 'PUT' && reply.status === TAKEN)) return body
    throw new Error(`The object store answered ${reply.status} to a request for a manifest.`)
  }
  return {
    list: async () => {
      const names: string[] = []
      for await (const name of listNames(folder, `${root}${FOLDER}/`)) names.push(name.slice(root.length))
      return names
    },
    rename: async (from, to) => {
      const body = await ask(from, { method: 'GET' })
      await ask(to, { method: 'PUT', body, headers: { 'if-none-match': '*' } })
      await ask(from, { method: 'DELETE' })
    },
  }
}
