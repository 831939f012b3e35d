import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Fault } from '../../base/fault.ts'
import { openReadingTurns, type TakeTurn } from '../../documents/reading-turns.ts'
import { openDiskRoom } from '../../tenancy/limits/disk-room.ts'
import { openSpool, UPLOAD_BYTES_MAX, type WriteSpool } from './spool.ts'

/** Where uploads are spooled: beside the data, on the disk that is watched, each account with its share. */
export interface Spools {
  /**
   * Runs `work`, which spools by what it is given and closes what it has spooled. Throws `unavailable` when too many
   * are under way here, and `rate_limited` when too many are the account's.
   */
  during<T>(accountId: string, work: (spool: WriteSpool) => Promise<T>): Promise<T>
  /** Turns at reading documents out of what was spooled. */
  readonly takeTurn: TakeTurn
  /** Resolves when no upload is under way any more. */
  idle(): Promise<void>
}

/** Uploads that one process spools at once, of all accounts and of one. */
const AT_ONCE_MAX = 8
const OWN_AT_ONCE_MAX = 4
/** What one account's uploads take of the disk at once, with what they unpack to, in bytes. */
const OWN_BYTES_MAX = 4 * 1024 * 1024 * 1024
const RETRY_SECONDS = 5
/** The folder is for the service alone. */
const FOLDER_MODE = 0o700

/** What an account has under way. */
interface Share {
  uploads: number
  bytes: number
}

/** The folder in which uploads are spooled, and what is to be left free on its disk. */
interface SpoolPlace {
  folder: string
  keptBackBytes: number
}

/** Opens the place; its folder is made when it is needed. */
export function openSpools(
  { folder, keptBackBytes }: SpoolPlace,
  { room = openDiskRoom(dirname(folder), keptBackBytes), ownBytesMax = OWN_BYTES_MAX } = {},
): Spools {
  const shares = new Map<string, Share>()
  let atOnce = 0
  const atEnd = new Set<() => void>()

  const counted = async function* (chunks: AsyncIterable<Uint8Array>, share: Share, used: Share) {
    for await (const chunk of chunks) {
      await room.assert()
      share.bytes += chunk.length
      used.bytes += chunk.length
      if (used.bytes > ownBytesMax) throw new Fault('archive_too_large', { detail: TOO_LARGE })
      if (share.bytes > ownBytesMax) throw tooMany()
      yield chunk
    }
  }

  return {
    takeTurn: openReadingTurns(),
    during: async (accountId, work) => {
      const share = shares.get(accountId) ?? { uploads: 0, bytes: 0 }
      if (share.uploads >= OWN_AT_ONCE_MAX) throw tooMany()
      if (atOnce >= AT_ONCE_MAX) throw new Fault('unavailable', { retryAfterSeconds: RETRY_SECONDS })
      const used = { uploads: 1, bytes: 0 }
      shares.set(accountId, share)
      share.uploads += 1
      atOnce += 1
      try {
        return await work(async (chunks, bytesMax = UPLOAD_BYTES_MAX) => {
          await room.assert()
          await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
          return openSpool(folder, counted(chunks, share, used), bytesMax)
        })
      } finally {
        atOnce -= 1
        share.uploads -= 1
        share.bytes -= used.bytes
        if (share.uploads === 0) shares.delete(accountId)
        if (atOnce === 0) for (const tell of atEnd) tell()
      }
    },
    idle: () => new Promise((resolve) => (atOnce === 0 ? resolve() : void atEnd.add(resolve))),
  }
}

const TOO_LARGE = 'The file unpacks to more than is taken: 4 GiB with the file itself.'

function tooMany(): Fault {
  const detail = 'Your other uploads are still being read; repeat this one when they are done.'
  return new Fault('rate_limited', { detail, retryAfterSeconds: RETRY_SECONDS })
}
