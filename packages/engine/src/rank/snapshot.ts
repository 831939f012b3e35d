import type { NumberTable } from './number-tables.ts'

/** An array of a graph as it is in memory, in consecutive segments. */
export interface SnapshotTable {
  readonly name: string
  readonly type: keyof typeof TABLE_TYPES
  readonly segments: readonly NumberTable[]
}

/** A graph in a form that can be stored anywhere: its arrays, and its few other values, which can be JSON. */
export interface GraphSnapshot {
  /** Format identifier. A process can load the snapshot only if it equals `GRAPH_FORMAT`. */
  readonly format: string
  readonly tables: readonly SnapshotTable[]
  readonly facts: Readonly<Record<string, unknown>>
}

export const TABLE_TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const

/** Builds a snapshot, table by table. */
export interface SnapshotWriter {
  /** Adds the first `length` elements of an array. */
  table(name: string, array: NumberTable, length: number): void
  /** Adds pages that form one table. */
  pages(name: string, pages: readonly Uint32Array[]): void
  /** Adds whole numbers that are not in a typed array. */
  list(name: string, numbers: Iterable<number>): void
  fact(name: string, value: unknown): void
}

/** Reads a snapshot. Each method throws a RangeError if the value is missing, has another type or is truncated. */
export interface SnapshotReader {
  u8(name: string, least: number): Uint8Array
  u16(name: string, least: number): Uint16Array
  u32(name: string, least: number): Uint32Array
  f64(name: string, least: number): Float64Array
  /** Returns a table in pages of `words` words. */
  pages(name: string, words: number): Uint32Array[]
  list(name: string): number[]
  number(name: string): number
  fact(name: string): unknown
}

export function createSnapshotWriter(): SnapshotWriter & { snapshot(format: string): GraphSnapshot } {
  const tables: SnapshotTable[] = []
  const facts: Record<string, unknown> = {}
  const add = (name: string, segments: readonly NumberTable[], type: SnapshotTable['type']) =>
    void tables.push({ name, type, segments })
  return {
    table: (name, array, length) => add(name, [array.subarray(0, length)], typeOf(array)),
    pages: (name, pages) => add(name, [...pages], 'u32'),
    list: (name, numbers) => add(name, [Uint32Array.from(numbers)], 'u32'),
    fact: (name, value) => {
      facts[name] = value
    },
    snapshot: (format) => ({ format, tables, facts }),
  }
}

function typeOf(array: NumberTable): SnapshotTable['type'] {
  if (array instanceof Uint8Array) return 'u8'
  if (array instanceof Uint16Array) return 'u16'
  return array instanceof Uint32Array ? 'u32' : 'f64'
}

/** Creates a reader of a snapshot. The segments of a table are used in place, without a copy. */
export function createSnapshotReader({ tables, facts }: GraphSnapshot): SnapshotReader {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const find = (name: string, type: SnapshotTable['type']): readonly NumberTable[] => {
    const table = byName.get(name)
    if (table?.type !== type) throw new RangeError(`The index snapshot has no table ${name} of type ${type}`)
    return table.segments
  }
  const singleSegment = (name: string, type: SnapshotTable['type'], least: number): NumberTable => {
    const segments = find(name, type)
    const [only = new TABLE_TYPES[type](0)] = segments
    if (segments.length > 1 || only.length < least) {
      throw new RangeError(`The index snapshot is damaged: the table ${name} is truncated`)
    }
    return only
  }
  const fact = (name: string): unknown => {
    if (!(name in facts)) throw new RangeError(`The index snapshot has no value ${name}`)
    return facts[name]
  }
  return {
    u8: (name, least) => singleSegment(name, 'u8', least) as Uint8Array,
    u16: (name, least) => singleSegment(name, 'u16', least) as Uint16Array,
    u32: (name, least) => singleSegment(name, 'u32', least) as Uint32Array,
    f64: (name, least) => singleSegment(name, 'f64', least) as Float64Array,
    pages: (name, words) =>
      (find(name, 'u32') as readonly Uint32Array[]).flatMap((segment) =>
        Array.from({ length: Math.ceil(segment.length / words) }, (_, page) =>
          segment.subarray(page * words, (page + 1) * words),
        ),
      ),
    list: (name) => Array.from(singleSegment(name, 'u32', 0)),
    number: (name) => {
      const value = fact(name)
      if (typeof value !== 'number') throw new RangeError(`The value ${name} of the index snapshot is not a number`)
      return value
    },
    fact,
  }
}
