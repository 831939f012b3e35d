import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Another process is using the folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
}

/** Other users of the machine can read the folder, and this user may not change its mode. */
export class FolderOpenToOthers extends Error {
  override name = 'FolderOpenToOthers'
}

/** Some systems limit Unix socket paths to about this length (sun_path: 104 on macOS, 108 on Linux). */
const SOCKET_PATH_BYTES_MAX = 90
/** Milliseconds after which concurrent starters check whose socket is in place. */
const SETTLE_MS = 60
const OWNER_ONLY = 0o700
const OWNER_ONLY_FILE = 0o600
/** File from which the local command line reads the address of the service. */
export const ADDRESS_FILE = 'address'
const OTHERS = 0o077

/** An exclusive lock of this process on a data folder. */
export interface FolderLock {
  /** Writes the address of this service into the folder, for the local command line. */
  publish(address: string): void
  release(): Promise<void>
}

/**
 * Locks the folder for this process by listening on a socket in it. Unlike a lock file, the socket cannot outlive its
 * process. Removes other users' access to the folder. Throws FolderInUse if a live process listens there, and
 * FolderOpenToOthers if this user may not change the folder's mode.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY })
  closeToOthers(folder)
  const path = socketPath(realpathSync(folder))
  const refusal = new FolderInUse(
    `Another Cairn process is using ${folder}. Stop it, or set CAIRN_DATA to another folder.`,
  )
  if (await answers(path)) throw refusal
  // Listening under a unique name and renaming replaces a dead socket atomically. Closing would unlink by name.
  const own = `${path}.${randomBytes(4).toString('hex')}`
  const server = await listen(own)
  const { ino } = statSync(own)
  renameSync(own, path)
  const holds = () => statSync(path, { throwIfNoEntry: false })?.ino === ino
  await sleep(SETTLE_MS)
  if (!holds()) {
    await close(server)
    throw refusal
  }
  server.unref()
  const published = join(folder, ADDRESS_FILE)
  // A killed process leaves its address file behind.
  rmSync(published, { force: true })
  return {
    publish: (address) => {
      writeFileSync(`${published}.new`, `${reachable(address)}\n`, { mode: OWNER_ONLY_FILE })
      renameSync(`${published}.new`, published)
    },
    release: async () => {
      if (holds()) for (const each of [path, published]) rmSync(each, { force: true })
      await close(server)
    },
  }
}

/** Removes other users' access, because files that the engines create inside are world-readable. */
function closeToOthers(folder: string): void {
  if (process.platform === 'win32' || (statSync(folder).mode & OTHERS) === 0) return
  try {
    chmodSync(folder, OWNER_ONLY)
  } catch (cause) {
    throw new FolderOpenToOthers(
      'Other users can read the folder CAIRN_DATA, and this user cannot change its permissions. Run chmod 700 on it.',
      { cause },
    )
  }
}

function socketPath(folder: string): string {
  const path = join(folder, 'lock.sock')
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return path
  return join(tmpdir(), `cairn-${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.sock`)
}

/** Returns an address that this machine can connect to. A service on all interfaces includes the loopback. */
function reachable(address: string): string {
  const url = new URL(address)
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = '127.0.0.1'
  return url.origin
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
