import type { Cell, Column, ColumnKind, Lookup, Rows, View, ViewRow } from '@cairnstore/engine/tables'
import { plainKeyHash } from '@cairnstore/engine/text'
import { once } from '../../base/one-at-a-time.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'

/** Cached views encrypted with a customer-managed key. */
export interface EncryptedViews {
  /** Name of the views. Every segment is authenticated with it. */
  readonly name: string
  readonly segments: readonly Buffer[]
}

/** Metadata of all views, with the numbers of the segments that contain the rest. */
interface Outline {
  people: number
  views: {
    type: string
    nouns: string[][]
    /** Number of the segment with all labels and spellings of the columns. It has two parts per column. */
    words: number
    /** Number of rows. */
    count: number
    /** Segments of the rows, in order. */
    rows: number[]
    columns: (Pick<Column, 'name' | 'words' | 'kind' | 'isPerson' | 'unit'> & { cells: number })[]
  }[]
}

/** Rows per segment. Lists show neighboring rows, and decrypting a segment takes as long as parsing a few rows. */
const ROWS_PER_SEGMENT = 256
/** Milliseconds of encryption before yielding to other work. */
const SLICE_MS = 10

/** Encrypts views in segments, so that a question decrypts only those that it needs. Yields to other work. */
export async function encryptViews(seal: ContentCipher, name: string, views: readonly View[]): Promise<EncryptedViews> {
  const yieldPoint = createYieldPoint(SLICE_MS)
  const segments: Buffer[] = []
  const sealed = (segment: number, bytes: Uint8Array) => seal.encrypt(segmentContext(name, segment), bytes)
  const add = async (bytes: Uint8Array) => {
    const segment = segments.push(sealed(segments.length, bytes)) - 1
    await yieldPoint()
    return segment
  }
  // The outline is the first segment but is written last, because it refers to the others.
  segments.push(Buffer.alloc(0))
  const outline: Outline = { people: await add(packWords(views.slice(0, 1).map(({ people }) => people))), views: [] }
  for (const { type, nouns, columns, rows } of views) {
    const own: Outline['views'][number] = {
      ...{ type, nouns, words: await add(packWords(columns)), count: rows.length },
      rows: [],
      columns: [],
    }
    for (let from = 0; from < rows.length; from += ROWS_PER_SEGMENT) own.rows.push(await add(packRows(rows, from)))
    for (const { name: called, words, kind, isPerson, unit, cells } of columns) {
      const shape = { name: called, words, kind, isPerson, ...(unit !== undefined && { unit }) }
      own.columns.push({ ...shape, cells: await add(packCells(kind, cells)) })
    }
    outline.views.push(own)
  }
  segments[0] = sealed(0, json(outline))
  return { name, segments }
}

/** Opens encrypted views. Each segment is decrypted on first access. */
export function decryptViews(seal: ContentCipher, { name, segments }: EncryptedViews): View[] {
  const open = (segment: number) => once(() => seal.decrypt(segmentContext(name, segment), segments[segment]!))
  const outline = JSON.parse(open(0)().toString()) as Outline
  const people = openWords(open(outline.people), 0)
  return outline.views.map(({ type, nouns, words, count, rows, columns }) => {
    const ownWords = open(words)
    const ownRows = rows.map(open)
    const rowAt = (row: number) => toRow(partAt(ownRows[Math.floor(row / ROWS_PER_SEGMENT)]!(), row % ROWS_PER_SEGMENT))
    return {
      type,
      nouns,
      columns: columns.map(({ cells, ...column }, at) => {
        const opened = once((): readonly Cell[] => openCells(column.kind, open(cells)()))
        return withCells({ ...column, ...openWords(ownWords, at) }, opened)
      }),
      rows: { length: count, at: (row) => (row < count ? rowAt(row) : undefined) },
      people,
    }
  })
}

function segmentContext(name: string, segment: number): string {
  return `rows/${name}/${segment}`
}

function packWords(columns: readonly Pick<Column, 'labels' | 'spellings'>[]): Buffer {
  return packParts(
    columns.flatMap(({ labels, spellings }) => {
      const listed = [...spellings].map(([words, cells]) => [words, [...cells]] as const)
      return [packLookup(labels), packLookup(listed)]
    }),
  )
}

function openWords(packed: () => Buffer, column: number): Pick<Column, 'labels' | 'spellings'> {
  const part = (index: number) => () => partAt(packed(), 2 * column + index)
  return {
    labels: openLookup(part(0), String),
    spellings: openLookup(part(1), (cells) => new Set(cells as string[])),
  }
}

function withCells(column: Omit<Column, 'cells'>, cells: () => readonly Cell[]): Column {
  return {
    ...column,
    get cells() {
      return cells()
    },
  }
}

function packRows(rows: Rows, from: number): Buffer {
  const count = Math.min(ROWS_PER_SEGMENT, rows.length - from)
  return packParts(Array.from({ length: count }, (_, at) => json(rows.at(from + at)!)))
}

function toRow(bytes: Buffer): ViewRow {
  return JSON.parse(bytes.toString()) as ViewRow
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** Bytes of a packed number. */
const WORD = 4
const BITS_PER_BYTE = 8
/** Number of hash table slots per entry. With a load factor of at most one half, probe sequences are short. */
const SPARE = 2

/** Packs byte strings: their number, the end offset of each, and the bytes. */
function packParts(parts: readonly Uint8Array[]): Buffer {
  let end = 0
  const ends = parts.map((part) => {
    end += part.length
    return end
  })
  return Buffer.concat([words([parts.length, ...ends]), ...parts])
}

function partCount(packed: Buffer): number {
  return wordAt(packed, 0)
}

/** Returns one part without copying. */
function partAt(packed: Buffer, index: number): Buffer {
  const from = WORD * (1 + partCount(packed))
  const start = index === 0 ? 0 : wordAt(packed, index)
  return packed.subarray(from + start, from + wordAt(packed, index + 1))
}

/** Packs a map as a hash table with linear probing, so that an entry can be found without unpacking the others. */
export function packLookup(lookup: Iterable<readonly [string, unknown]>): Buffer {
  const entries = [...lookup]
  const slots = new Array<number>(2 ** Math.ceil(Math.log2(Math.max(1, entries.length * SPARE)))).fill(0)
  for (const [at, [text]] of entries.entries()) {
    let slot = hashOf(text) % slots.length
    while (slots[slot] !== 0) slot = (slot + 1) % slots.length
    slots[slot] = at + 1
  }
  const hashes = entries.map(([text]) => hashOf(text))
  const encoded = entries.map((entry) => Buffer.from(JSON.stringify(entry)))
  return packParts([words(slots), words(hashes), packParts(encoded)])
}

/** Opens a packed map on first access. `revive` converts a parsed JSON value. */
export function openLookup<V>(packed: () => Buffer, revive: (value: unknown) => V): Lookup<V> {
  const opened = once(() => {
    const bytes = packed()
    return { slots: partAt(bytes, 0), hashes: partAt(bytes, 1), entries: partAt(bytes, 2) }
  })
  const entryAt = (at: number) => JSON.parse(partAt(opened().entries, at).toString()) as [string, unknown]
  const find = (text: string): [string, unknown] | undefined => {
    const { slots, hashes } = opened()
    const slotCount = slots.length / WORD
    const hash = hashOf(text)
    for (let slot = hash % slotCount; ; slot = (slot + 1) % slotCount) {
      const at = wordAt(slots, slot) - 1
      if (at < 0) return undefined
      if (wordAt(hashes, at) !== hash) continue
      const entry = entryAt(at)
      if (entry[0] === text) return entry
    }
  }
  return {
    get: (text) => {
      const found = find(text)
      return found && revive(found[1])
    },
    has: (text) => find(text) !== undefined,
    *[Symbol.iterator]() {
      for (let at = 0; at < partCount(opened().entries); at += 1) {
        const [text, value] = entryAt(at)
        yield [text, revive(value)] as const
      }
    },
  }
}

/** Packs the cells of a column: numbers directly, other values as a dictionary with indexes. */
export function packCells(kind: ColumnKind, cells: readonly Cell[]): Buffer {
  if (isNumeric(kind)) {
    return Buffer.from(Float64Array.from(cells, (cell) => (cell as number | null) ?? Number.NaN).buffer)
  }
  const numbers = new Map<string, number>()
  const rows = cells.map((cell) => {
    const text = JSON.stringify(cell)
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  })
  return packParts([words(rows), Buffer.from(`[${[...numbers.keys()].join(',')}]`)])
}

export function openCells(kind: ColumnKind, packed: Buffer): readonly Cell[] {
  if (isNumeric(kind)) {
    const values = new Float64Array(packed.buffer.slice(packed.byteOffset, packed.byteOffset + packed.length))
    return Array.from(values, (value) => (Number.isNaN(value) ? null : value))
  }
  const cells = JSON.parse(partAt(packed, 1).toString()) as Cell[]
  const rows = partAt(packed, 0)
  return Array.from({ length: rows.length / WORD }, (_, at) => cells[wordAt(rows, at)]!)
}

function isNumeric(kind: ColumnKind): boolean {
  return kind === 'number' || kind === 'time'
}

function words(numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(WORD * numbers.length)
  for (const [at, number] of numbers.entries()) bytes.writeUInt32LE(number, WORD * at)
  return bytes
}

function wordAt(bytes: Buffer, index: number): number {
  return bytes.readUInt32LE(WORD * index)
}

function hashOf(text: string): number {
  return plainKeyHash(text) % 2 ** (WORD * BITS_PER_BYTE)
}
