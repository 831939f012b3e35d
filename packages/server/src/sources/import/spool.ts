import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Fault } from '../../base/fault.ts'

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
export const UPLOAD_BYTES_MAX = 1024 * 1024 * 1024
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
