import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type DiskSpaceGuard, openDiskSpaceGuard } from '../../../base/disk-space-guard.ts'
import { Fault } from '../../../base/fault.ts'
import { openUploadSlots, type UploadSlot, type UploadSlots, untilAborted } from './upload-slots.ts'

/** Temporary storage for uploads on the data disk, with a quota per account. */
export type Spools = ReturnType<typeof openSpools>

/** Maximum disk space of one account's concurrent uploads, including uncompressed content, in bytes. */
const ACCOUNT_BYTES_MAX = 4 * 1024 * 1024 * 1024
const RETRY_SECONDS = 5
/** Only the service's user may access the folder. */
const FOLDER_MODE = 0o700

/** An account's uploads in progress. */
interface AccountUsage {
  uploads: number
  bytes: number
}

/** Folder of the spools, and bytes that must stay free on its disk. */
interface SpoolFolder {
  folder: string
  reservedBytes: number
}

/** Limits that tests override. */
interface SpoolLimits {
  diskSpace?: Pick<DiskSpaceGuard, 'assert'>
  accountBytesMax?: number
  slots?: UploadSlots
}

/** Opens the storage. Its folder is created on first use. */
export function openSpools(
  { folder, reservedBytes }: SpoolFolder,
  {
    diskSpace = openDiskSpaceGuard(dirname(folder), reservedBytes),
    accountBytesMax = ACCOUNT_BYTES_MAX,
    slots = openUploadSlots(),
  }: SpoolLimits = {},
) {
  const shares = new Map<string, AccountUsage>()

  const counted = async function* (chunks: AsyncIterable<Uint8Array>, share: AccountUsage, used: AccountUsage) {
    for await (const chunk of chunks) {
      await diskSpace.assert()
      share.bytes += chunk.length
      used.bytes += chunk.length
      if (used.bytes > accountBytesMax) throw new Fault('archive_too_large', { detail: TOO_LARGE })
      if (share.bytes > accountBytesMax) throw tooMany()
      yield chunk
    }
  }

  return {
    /**
     * Runs `work` with a function that writes spools. `work` must close them. Throws `unavailable` if too many uploads
     * are in progress in this process, and `rate_limited` if too many of them are the account's.
     */
    during: async <T>(
      accountId: string,
      work: (spool: WriteSpool, slot: Pick<UploadSlot, 'received'>) => Promise<T>,
    ) => {
      const slot = slots.take(accountId)
      const share = shares.get(accountId) ?? { uploads: 0, bytes: 0 }
      const used = { uploads: 1, bytes: 0 }
      shares.set(accountId, share)
      share.uploads += 1
      try {
        return await work(async (chunks, bytesMax = UPLOAD_BYTES_MAX) => {
          await diskSpace.assert()
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
    /** Resolves when no upload is in progress. */
    idle: slots.idle,
  }
}

const TOO_LARGE = 'The file and its unpacked content exceed 4 GiB.'

function tooMany(): Fault {
  const detail = 'Your other uploads are still being read. Send this one again when they are done.'
  return new Fault('rate_limited', { detail, retryAfterSeconds: RETRY_SECONDS })
}

/**
 * An upload that can be read in any order. It is stored in an unlinked file and encrypted with a key that exists only
 * in this object, so neither a crash nor access to the disk reveals its content.
 */
export interface Spool {
  readonly bytes: number
  /** Returns the bytes from `from` up to `to`; all of them by default. */
  read(from?: number, to?: number): Readable
  close(): Promise<void>
}

/** Maximum size of an upload in bytes. */
const UPLOAD_BYTES_MAX = 1024 * 1024 * 1024
const CIPHER = 'aes-256-ctr'
const KEY_BYTES = 32
const BLOCK_BYTES = 16
const COUNTER_BITS = 64
/** Only the owner may read the file until it is unlinked. */
const FILE_MODE = 0o600

/** Writes all chunks to a spool in an existing folder. Throws `archive_too_large` and `disk_full`. */
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
    throw DISK_FULL_CODES.includes(code) ? new Fault('disk_full', { cause }) : cause
  }
}

const DISK_FULL_CODES = ['ENOSPC', 'EDQUOT']

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

const READ_BYTES = 64 * 1024

async function* rangeOf(file: FileHandle, key: Buffer, from: number, to: number): AsyncGenerator<Buffer> {
  const block = Math.floor(from / BLOCK_BYTES)
  const decipher = createDecipheriv(CIPHER, key, counterAt(block))
  let skipped = from - block * BLOCK_BYTES
  for (let at = block * BLOCK_BYTES; at < to; ) {
    const chunk = Buffer.alloc(Math.min(READ_BYTES, to - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    const plain = decipher.update(chunk.subarray(0, bytesRead))
    if (plain.length > skipped) yield plain.subarray(skipped)
    skipped = Math.max(0, skipped - plain.length)
  }
}

/** Pipes a spool through a transform into a new spool. Throws `unreadable_archive` and the faults of writing. */
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
 * Writes all chunks to a spool. Throws `archive_too_large` for more than `bytesMax` or the account's quota,
 * `rate_limited` if the account's other uploads use too much of the quota, and `disk_full`.
 */
export type WriteSpool = (chunks: AsyncIterable<Uint8Array>, bytesMax?: number) => Promise<Spool>
