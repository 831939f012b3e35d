import { GRAPH_FORMAT, type GraphSnapshot, type SnapshotTable, TABLE_TYPES } from '@cairnstore/engine/rank'
import { hmacSha256, sameDigest, sha256 } from '../base/digest.ts'
import type { ContentCipher } from '../tenancy/caller-keys/content-cipher.ts'
import type { SandboxStore } from './port.ts'

/** Parameters for writing and reading index snapshots. */
interface FileAccess {
  readonly store: Pick<SandboxStore, 'writeSegment' | 'readSegment'>
  /** Encrypts the snapshot if the sandbox has a customer-managed key. */
  readonly seal: ContentCipher | undefined
  /** HMAC key that authenticates the snapshot. Loading forged arrays could cause an endless loop. */
  readonly key: Uint8Array
}

/** Manifest of a snapshot, which is its last segment. */
interface Contents {
  readonly format: string
  readonly tables: readonly { readonly name: string; readonly type: SnapshotTable['type']; readonly length: number }[]
  readonly facts: Readonly<Record<string, unknown>>
  readonly pieces: readonly { readonly bytes: number; readonly digest: string }[]
}

/** Version of the file layout. Increment it with every change. */
const LAYOUT = 2
/** Format id. Snapshots with another format are ignored. */
const FORMAT = `${GRAPH_FORMAT}/file-${LAYOUT}`
/**
 * Size of a segment in bytes. Small enough to be copied, hashed and encrypted in a few milliseconds, and to fit in the
 * 4 MiB response limit of customer-owned buckets when encrypted. Large enough that a graph takes few requests.
 */
const SEGMENT_BYTES = 4 * 2 ** 20 - 1024
/** Number of segments that are written or read concurrently. */
const CONCURRENT_SEGMENTS = 4
/** Bytes of the signature before the manifest. */
const SIGNATURE_BYTES = 32

/**
 * Writes a snapshot as segments `<name>-<number>`, then its signed manifest as `name`. Before each segment it calls
 * `assertSame`, which throws if the arrays have changed, and after each `yieldIfDue`, which lets other work run.
 */
export async function writeSnapshotFile(
  access: FileAccess,
  name: string,
  image: GraphSnapshot,
  { assertSame, yieldIfDue }: { assertSame(): void; yieldIfDue(): Promise<void> | undefined },
): Promise<void> {
  const facts: unknown = JSON.parse(JSON.stringify(image.facts))
  const tables = image.tables.map((table) => ({ name: table.name, type: table.type, length: lengthOf(table) }))
  const pieces: { bytes: number; digest: string }[] = []
  let writing: Promise<void>[] = []
  try {
    for (const segment of segmentsOf(image.tables)) {
      assertSame()
      const at = pieces.push({ bytes: segment.length, digest: digestOf(segment) }) - 1
      const written = writeSegment(access, segmentName(name, at), segment)
      // Prevents an unhandled rejection. The promise is awaited below.
      written.catch(() => undefined)
      writing.push(written)
      if (writing.length >= CONCURRENT_SEGMENTS) {
        await Promise.all(writing)
        writing = []
      }
      await yieldIfDue()
    }
    await Promise.all(writing)
    assertSame()
  } finally {
    await Promise.allSettled(writing)
  }
  const contents = { format: FORMAT, tables, facts, pieces }
  const json = Buffer.from(JSON.stringify(contents))
  await writeSegment(access, name, Buffer.concat([signatureOf(access, name, json), json]))
}

/**
 * Reads a snapshot. Returns undefined if it is missing, has another format, or was not written with this key and name.
 * Calls `onGrown` with the size of its tables, in bytes, before they are allocated.
 */
export async function readSnapshotFile(
  access: FileAccess,
  name: string,
  onGrown: (bytes: number) => Promise<void>,
): Promise<GraphSnapshot | undefined> {
  const contents = readContents(access, name, await readSegment(access, name))
  if (contents === undefined) return undefined
  const totalBytes = contents.tables.reduce(
    (sum, { type, length }) => sum + length * TABLE_TYPES[type].BYTES_PER_ELEMENT,
    0,
  )
  if (totalBytes !== contents.pieces.reduce((sum, { bytes }) => sum + bytes, 0)) return undefined
  await onGrown(totalBytes)
  const tables = contents.tables.map(({ name: tableName, type, length }) => ({
    name: tableName,
    type,
    array: new TABLE_TYPES[type](length),
  }))
  const fill = createFiller(tables.map(({ array }) => new Uint8Array(array.buffer)))
  for (let from = 0; from < contents.pieces.length; from += CONCURRENT_SEGMENTS) {
    const expected = contents.pieces.slice(from, from + CONCURRENT_SEGMENTS)
    const found = await Promise.all(expected.map((_, at) => readSegment(access, segmentName(name, from + at))))
    for (const [at, segment] of found.entries()) {
      const { bytes, digest } = expected[at]!
      if (segment?.length !== bytes || digestOf(segment) !== digest) return undefined
      fill(segment)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return {
    format: GRAPH_FORMAT,
    facts: contents.facts,
    tables: tables.map(({ name: tableName, type, array }) => ({ name: tableName, type, segments: [array] })),
  }
}

/** Returns the manifest. Undefined if its signature does not match the key and name, or it has another format. */
function readContents(access: FileAccess, name: string, bytes: Uint8Array | undefined): Contents | undefined {
  if (bytes === undefined) return undefined
  const json = bytes.subarray(SIGNATURE_BYTES)
  if (!sameDigest(bytes.subarray(0, SIGNATURE_BYTES), signatureOf(access, name, json))) return undefined
  const contents = JSON.parse(Buffer.from(json).toString()) as Contents
  return contents.format === FORMAT ? contents : undefined
}

/** Returns the HMAC of a manifest. The manifest has the digests of all segments, so the HMAC covers these too. */
function signatureOf({ key }: FileAccess, name: string, json: Uint8Array): Buffer {
  return hmacSha256(key, Buffer.concat([Buffer.from(`${name}\n`), json]))
}

function digestOf(segment: Uint8Array): string {
  return sha256(segment).toString('base64url')
}

function segmentName(name: string, at: number): string {
  return `${name}-${at}`
}

async function writeSegment({ store, seal }: FileAccess, name: string, bytes: Uint8Array): Promise<void> {
  await store.writeSegment('graph', name, seal ? seal.encrypt(associatedDataOf(name), bytes) : bytes)
}

async function readSegment({ store, seal }: FileAccess, name: string): Promise<Uint8Array | undefined> {
  const bytes = await store.readSegment('graph', name)
  return bytes && seal ? seal.decrypt(associatedDataOf(name), bytes) : bytes
}

function associatedDataOf(name: string): string {
  return `graph/${name}`
}

function lengthOf({ segments }: SnapshotTable): number {
  return segments.reduce((sum, { length }) => sum + length, 0)
}

/** Yields the bytes of the tables, concatenated and cut into segments. */
function* segmentsOf(tables: readonly SnapshotTable[]): Generator<Uint8Array> {
  let segment = Buffer.alloc(SEGMENT_BYTES)
  let used = 0
  for (const { buffer, byteOffset, byteLength } of tables.flatMap(({ segments }) => segments)) {
    const bytes = new Uint8Array(buffer, byteOffset, byteLength)
    for (let from = 0; from < byteLength; ) {
      const copied = Math.min(SEGMENT_BYTES - used, byteLength - from)
      segment.set(bytes.subarray(from, from + copied), used)
      used += copied
      from += copied
      if (used < SEGMENT_BYTES) continue
      yield segment
      segment = Buffer.alloc(SEGMENT_BYTES)
      used = 0
    }
  }
  if (used > 0) yield segment.subarray(0, used)
}

/** Returns a function that fills the arrays, in order, from successive segments. */
function createFiller(arrays: readonly Uint8Array[]): (segment: Uint8Array) => void {
  let array = 0
  let filled = 0
  return (segment) => {
    for (let from = 0; from < segment.length; ) {
      const target = arrays[array]!
      const copied = Math.min(segment.length - from, target.length - filled)
      target.set(segment.subarray(from, from + copied), filled)
      filled += copied
      from += copied
      if (filled < target.length) continue
      array += 1
      filled = 0
    }
  }
}
