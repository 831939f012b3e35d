import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../base/digest.ts'
import type { Kind, SandboxLocation, StorageRoot } from '../port.ts'

/** The location of one sandbox's datasets. */
export interface SandboxFolder {
  readonly sandboxId: string
  readonly uri: string
  readonly options: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  /** On a local disk, the folders from the root down to the sandbox's own. */
  readonly localPaths: readonly string[]
}

/** One generation of a dataset of a sandbox. */
export interface DatasetRef {
  readonly folder: SandboxFolder
  readonly kind: Kind
  readonly generation: number
}

const PATH_PART = /^[A-Za-z0-9_-]+$/
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * Returns the folder of a sandbox, `<root>/<account>/<sandbox id>`. No other code builds this path. Throws if the
 * sandbox id has characters other than letters, digits, _ and -.
 */
export function sandboxFolder(root: StorageRoot, userId: string, sandboxId: string): SandboxFolder {
  if (!PATH_PART.test(sandboxId)) throw new Error(`"${sandboxId}" is not a valid sandbox id.`)
  return folderAt(root, { account: accountPart(userId), sandboxId })
}

/** Returns the folder of a location that was found on disk. */
export function folderAt(root: StorageRoot, { account, sandboxId }: SandboxLocation): SandboxFolder {
  if (HAS_SCHEME.test(root.uri)) {
    const uri = [root.uri.replace(/\/+$/, ''), account, sandboxId].join('/')
    return withOptions(root, { sandboxId, uri, localPaths: [] })
  }
  const ownPath = join(root.uri, account, sandboxId)
  const localPaths = [root.uri, join(root.uri, account), ownPath]
  return withOptions(root, { sandboxId, uri: ownPath, localPaths })
}

const NO_OPTIONS = {}

/** Adds a getter of the root's options, because temporary credentials change. */
function withOptions(root: StorageRoot, place: Pick<SandboxFolder, 'sandboxId' | 'uri' | 'localPaths'>): SandboxFolder {
  return {
    ...place,
    fetch: root.fetch ?? globalThis.fetch,
    get options() {
      return root.options ?? NO_OPTIONS
    },
  }
}

/**
 * Returns the path segment of an account. A token's subject may have any characters. A subject that is not a plain name
 * is replaced by its SHA-256 after `sub.`. Plain names have no dot, so two accounts never share a segment.
 */
function accountPart(userId: string): string {
  return PATH_PART.test(userId) ? userId : `sub.${sha256(userId).toString('hex')}`
}

const HASHED_ACCOUNT = /^sub\.[0-9a-f]{64}$/

export function isOfAccount({ account }: SandboxLocation, userId: string): boolean {
  return account === accountPart(userId)
}

/** Lists the sandboxes with a folder under a local root. Empty for an object store. */
export async function listSandboxFolders(root: StorageRoot): Promise<SandboxLocation[]> {
  if (HAS_SCHEME.test(root.uri)) return []
  const found: SandboxLocation[] = []
  for (const account of await listFolders(root.uri)) {
    if (!PATH_PART.test(account) && !HASHED_ACCOUNT.test(account)) continue
    for (const sandboxId of await listFolders(join(root.uri, account))) {
      if (PATH_PART.test(sandboxId)) found.push({ account, sandboxId })
    }
  }
  return found
}

async function listFolders(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

/** Returns true if the folder is in an object store. */
export function isRemote({ localPaths }: SandboxFolder): boolean {
  return localPaths.length === 0
}

/** Returns the name of a dataset within its sandbox's folder. */
export function datasetName({ kind, generation }: DatasetRef): string {
  return generation === 0 ? kind : `${kind}-${generation}`
}

/** Returns a unique key of a dataset. It starts with its folder's URI and a slash. */
export function datasetKey(place: DatasetRef): string {
  return `${place.folder.uri}/${datasetName(place)}`
}

/** Parses a dataset name. Returns undefined for any other name. */
export function parseDatasetName(name: string): { kind: string; generation: number } | undefined {
  const match = /^([a-z]+)(?:-(\d+))?$/.exec(name)
  return match?.[1] ? { kind: match[1], generation: Number(match[2] ?? 0) } : undefined
}

/** Returns a dataset's directory on a local disk. Undefined for an object store, which is durable by itself. */
export function localDatasetPath(place: DatasetRef): string | undefined {
  const own = place.folder.localPaths.at(-1)
  return own === undefined ? undefined : join(own, `${datasetName(place)}.lance`)
}

/** Limit of version numbers, which a dataset cannot reach before a purge. 2^21 generations fit in a safe integer. */
const VERSIONS_MAX = 2 ** 32

/** One state of a dataset: its generation and version. */
interface DatasetState {
  readonly generation: number
  readonly version: number
}

/** Packs generation and version into the number that the head stores. */
export function packDatasetState(place: DatasetState): number {
  return place.generation * VERSIONS_MAX + place.version
}

/** Reverses packDatasetState. 0 is version 0: the dataset does not exist. */
export function unpackDatasetState(packed: number): DatasetState {
  return { generation: Math.floor(packed / VERSIONS_MAX), version: packed % VERSIONS_MAX }
}
