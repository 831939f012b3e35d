import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../base/digest.ts'
import type { Kind, LocalPlace, StorageRoot } from '../port.ts'

/** The place of one sandbox's datasets. */
export interface SandboxFolder {
  readonly sandboxId: string
  readonly uri: string
  readonly options: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  /** The folders from the root down to the sandbox's own, when they are on a local disk. */
  readonly localPaths: readonly string[]
}

/** One dataset of one sandbox, in one generation. */
export interface DatasetPlace {
  readonly folder: SandboxFolder
  readonly kind: Kind
  readonly generation: number
}

const PATH_PART = /^[A-Za-z0-9_-]+$/
const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * The path of a sandbox, `<root>/<account>/<sandbox id>`, which is built here and nowhere else. Throws on a sandbox id
 * with other signs than letters, digits, _ and -.
 */
export function sandboxFolder(root: StorageRoot, userId: string, sandboxId: string): SandboxFolder {
  if (!PATH_PART.test(sandboxId)) throw new Error(`"${sandboxId}" cannot be a part of a storage path.`)
  return folderAt(root, { account: accountPart(userId), sandboxId })
}

/** The folder of a place that was found on the disk. */
export function folderAt(root: StorageRoot, { account, sandboxId }: LocalPlace): SandboxFolder {
  if (HAS_SCHEME.test(root.uri)) {
    const uri = [root.uri.replace(/\/+$/, ''), account, sandboxId].join('/')
    return openedBy(root, { sandboxId, uri, localPaths: [] })
  }
  const ownPath = join(root.uri, account, sandboxId)
  const localPaths = [root.uri, join(root.uri, account), ownPath]
  return openedBy(root, { sandboxId, uri: ownPath, localPaths })
}

const NO_OPTIONS = {}

/** A folder with what opens its root at the moment: the keys of a role are others after a while. */
function openedBy(root: StorageRoot, place: Pick<SandboxFolder, 'sandboxId' | 'uri' | 'localPaths'>): SandboxFolder {
  return {
    ...place,
    fetch: root.fetch ?? globalThis.fetch,
    get options() {
      return root.options ?? NO_OPTIONS
    },
  }
}

/**
 * An account's part of a path. The subject of a token may hold any sign, so one that is no plain name is named by its
 * digest, behind a dot, which no plain name has: two accounts never share a part.
 */
function accountPart(userId: string): string {
  return PATH_PART.test(userId) ? userId : `sub.${sha256(userId).toString('hex')}`
}

const ODD_ACCOUNT = /^sub\.[0-9a-f]{64}$/

/** Whether a folder is one of the account's. */
export function isOfAccount({ account }: LocalPlace, userId: string): boolean {
  return account === accountPart(userId)
}

/** The sandboxes that have a folder under a local root; none under an object store's. */
export async function listSandboxFolders(root: StorageRoot): Promise<LocalPlace[]> {
  if (HAS_SCHEME.test(root.uri)) return []
  const found: LocalPlace[] = []
  for (const account of await listFolders(root.uri)) {
    if (!PATH_PART.test(account) && !ODD_ACCOUNT.test(account)) continue
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

/** Whether the folder is in an object store. */
export function isRemote({ localPaths }: SandboxFolder): boolean {
  return localPaths.length === 0
}

/** The name of a dataset within its sandbox's folder. */
export function datasetName({ kind, generation }: DatasetPlace): string {
  return generation === 0 ? kind : `${kind}-${generation}`
}

/** What tells a dataset from every other; starts with its folder's uri and a slash. */
export function datasetKey(place: DatasetPlace): string {
  return `${place.folder.uri}/${datasetName(place)}`
}

/** The kind and generation behind a name in a sandbox's folder; undefined for any other name. */
export function parseDatasetName(name: string): { kind: string; generation: number } | undefined {
  const match = /^([a-z]+)(?:-(\d+))?$/.exec(name)
  return match?.[1] ? { kind: match[1], generation: Number(match[2] ?? 0) } : undefined
}

/** The directory of a dataset on a local disk; undefined on object storage, which is durable by itself. */
export function localDatasetPath(place: DatasetPlace): string | undefined {
  const own = place.folder.localPaths.at(-1)
  return own === undefined ? undefined : join(own, `${datasetName(place)}.lance`)
}

/** Above any number of versions a dataset reaches: a thousand commits a second need fifty days for it, and upkeep of
 * an erasure starts a new generation. 2^21 generations fit into a safe integer. */
const VERSIONS_MAX = 2 ** 32

/**
 * One state of one dataset: which directory (a generation is never written again once it is left) and which version.
 */
interface DatasetState {
  readonly generation: number
  readonly version: number
}

/** Packs a place into the one number that the head keeps. */
export function packPlace(place: DatasetState): number {
  return place.generation * VERSIONS_MAX + place.version
}

/** Undoes packPlace; 0 gives version 0, a dataset that does not exist. */
export function unpackPlace(packed: number): DatasetState {
  return { generation: Math.floor(packed / VERSIONS_MAX), version: packed % VERSIONS_MAX }
}
