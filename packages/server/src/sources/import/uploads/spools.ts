import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type DiskRoom, openDiskRoom } from '../../../base/disk-room.ts'
import { Fault } from '../../../base/fault.ts'
import { openUploadSlots, type UploadSlot, type UploadSlots, untilAborted } from './upload-slots.ts'

/** Where uploads are spooled: beside the data, on the disk that is watched, each account with its share. */
export interface Spools {
  /**
   * Runs `work`, which spools by what it is given and closes what it has spooled. Throws `unavailable` when too many
   * are under way here, and `rate_limited` when too many are the account's.
   */
  during<T>(accountId: string, work: (spool: WriteSpool, slot: Pick<UploadSlot, 'received'>) => Promise<T>): Promise<T>
  /** Returns the number of uploads in progress. */
  count(): number
  /** Resolves when no upload is under way any more. */
  idle(): Promise<void>
}

/** What one account's uploads take of the disk at once, with what they unpack to, in bytes. */
const OWN_BYTES_MAX = 4 * 1024 * 1024 * 1024
const RETRY_SECONDS = 5
/** The folder is for the service alone. */
const FOLDER_MODE = 0o700

/** The uploads that an account has under way. */
interface Share {
  uploads: number
  bytes: number
}

/** The folder in which uploads are spooled, and what is to be left free on its disk. */
interface SpoolPlace {
  folder: string
  keptBackBytes: number
}

/** What a test sets otherwise. */
interface SpoolLimits {
  room?: Pick<DiskRoom, 'assert'>
  ownBytesMax?: number
  slots?: UploadSlots
}

/** Opens the place; its folder is made when it is needed. */
export function openSpools(
  { folder, keptBackBytes }: SpoolPlace,
  {
    room = openDiskRoom(dirname(folder), keptBackBytes),
    ownBytesMax = OWN_BYTES_MAX,
    slots = openUploadSlots(),
  }: SpoolLimits = {},
): Spools {
  const shares = new Map<string, Share>()

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
    during: async (accountId, work) => {
      const slot = slots.take(accountId)
      const share = shares.get(accountId) ?? { uploads: 0, bytes: 0 }
      const used = { uploads: 1, bytes: 0 }
      shares.set(accountId, share)
      share.uploads += 1
      try {
        return await work(async (chunks, bytesMax = UPLOAD_BYTES_MAX) => {
          await room.assert()
          await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
          return openSpool(folder, counted(untilAborted(chunks, slot.signal), share, used), bytesMax)
        }, slot)
      } finally {
        slot.release()
        share.uploads -= 1
        share.bytes -= used.bytes
        if (share.uploads === 0) shares.delete(accountId)
      }
    },
    count: slots.count,
    idle: slots.idle,
  }
}

const TOO_LARGE = 'The file unpacks to more than is taken: 4 GiB with the file itself.'

function tooMany(): Fault {
  const detail = 'Your other uploads are still being read; repeat this one when they are done.'
  return new Fault('rate_limited', { detail, retryAfterSeconds: RETRY_SECONDS })
}

/**
 * An upload that has to be read out of order, in a file that has no name any more and is sealed with a key that only
 * this object has: neither a crash nor whoever finds the disk leaves anything of it.
 */
export interface Spool {
  readonly bytes: number
  /** The bytes from `from` up to `to`, all when omitted. */
  read(from?: number, to?: number): Readable
  close(): Promise<void>
}

/** The largest upload. */
const UPLOAD_BYTES_MAX = 1024 * 1024 * 1024
const CIPHER = 'aes-256-ctr'
const KEY_BYTES = 32
const BLOCK_BYTES = 16
const COUNTER_BITS = 64
/** Only the owner reads it, for as long as it has a name. */
const FILE_MODE = 0o600

/**
 * Writes all that comes to a spool in a folder that is there; throws `archive_too_large` for more than `maxBytes`, and
 * `disk_full`.
 */
export async function openSpool(
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = UPLOAD_BYTES_MAX,
): Promise<Spool> {
  const path = join(folder, `cairn-import-${randomUUID()}`)
  const file = await open(path, 'wx+', FILE_MODE)
  try {
    await unlink(path)
    const key = randomBytes(KEY_BYTES)
    const cipher = createCipheriv(CIPHER, key, counterAt(0))
    let bytes = 0
    for await (const chunk of chunks) {
      if (bytes + chunk.length > maxBytes) throw new Fault('archive_too_large')
      await writeAll(file, cipher.update(chunk), bytes)
      bytes += chunk.length
    }
    return { bytes, read: (from = 0, to = bytes) => readRange(file, key, from, to), close: () => file.close() }
  } catch (cause) {
    await file.close()
    const { code = '' } = cause as NodeJS.ErrnoException
    throw NO_ROOM.includes(code) ? new Fault('disk_full', { cause }) : cause
  }
}

const NO_ROOM = ['ENOSPC', 'EDQUOT']

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

function counterAt(block: number): Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES)
  counter.writeBigUInt64BE(BigInt(block), BLOCK_BYTES - COUNTER_BITS / 8)
  return counter
}

function readRange(file: FileHandle, key: Buffer, from: number, to: number): Readable {
  return Readable.from(rangeOf(file, key, from, to), { objectMode: false })
}

const PIECE_BYTES = 64 * 1024

async function* rangeOf(file: FileHandle, key: Buffer, from: number, to: number): AsyncGenerator<Buffer> {
  const block = Math.floor(from / BLOCK_BYTES)
  const decipher = createDecipheriv(CIPHER, key, counterAt(block))
  let skipped = from - block * BLOCK_BYTES
  for (let at = block * BLOCK_BYTES; at < to; ) {
    const piece = Buffer.alloc(Math.min(PIECE_BYTES, to - at))
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    const plain = decipher.update(piece.subarray(0, bytesRead))
    if (plain.length > skipped) yield plain.subarray(skipped)
    skipped = Math.max(0, skipped - plain.length)
  }
}

/**
 * The spool of what a transforming stream makes of another; throws `unreadable_archive` when that cannot read it, and
 * what writing it throws.
 */
export async function spoolThrough(
  write: WriteSpool,
  from: Spool,
  through: NodeJS.ReadWriteStream,
  maxBytes: number,
): Promise<Spool> {
  const made = new PassThrough()
  const [outcome, spool] = await Promise.allSettled([
    pipeline(from.read(), through, made),
    write(made, maxBytes).catch((cause: unknown) => {
      made.destroy()
      throw cause
    }),
  ])
  if (spool.status === 'rejected') throw asFault(spool.reason)
  if (outcome.status === 'rejected') {
    await spool.value.close()
    throw asFault(outcome.reason)
  }
  return spool.value
}

function asFault(cause: unknown): Fault {
  return cause instanceof Fault ? cause : new Fault('unreadable_archive', { cause })
}

/**
 * Writes all that comes to a spool. Throws `archive_too_large` for more than `bytesMax`, or than an account may have
 * spooled at once; `rate_limited` when it is the account's other uploads that leave it too little; and `disk_full`.
 */
export type WriteSpool = (chunks: AsyncIterable<Uint8Array>, bytesMax?: number) => Promise<Spool>
