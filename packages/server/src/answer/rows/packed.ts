import type { Cell, ColumnKind, Lookup } from '@cairnstore/engine/tables'
import { plainKeyHash } from '@cairnstore/engine/text'
import { once } from '../../base/once.ts'

/** Bytes of a number in what is packed. */
const WORD = 4
const BITS_PER_BYTE = 8
/** At most half of the places of a table are taken, so that few are tried in vain. */
const SPARE = 2

/** Bytes of several kinds as one stretch: how many there are, where each ends, and the bytes. */
export function packParts(parts: readonly Uint8Array[]): Buffer {
  let end = 0
  const ends = parts.map((part) => {
    end += part.length
    return end
  })
  return Buffer.concat([words([parts.length, ...ends]), ...parts])
}

/** How many parts were packed. */
function partCount(packed: Buffer): number {
  return wordAt(packed, 0)
}

/** One of the parts, without a copy. */
export function partAt(packed: Buffer, index: number): Buffer {
  const from = WORD * (1 + partCount(packed))
  const start = index === 0 ? 0 : wordAt(packed, index)
  return packed.subarray(from + start, from + wordAt(packed, index + 1))
}

/** A map whose entries are found in the bytes where they are needed, by a table of hashes. */
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

/** Undoes `packLookup` when it is first looked into; `revive` makes a value of what JSON makes of it. */
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

/** The cells of a column: numbers as they are, anything else once each and by its number. */
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

/** Undoes `packCells`. */
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
