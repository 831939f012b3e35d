import type { Cell, Column, ColumnKind, Rows, View, ViewRow } from '@cairnstore/engine/tables'
import { once } from '../../base/once.ts'
import { createYieldPoint } from '../../base/yield-point.ts'
import type { ContentSeal } from '../../tenancy/caller-keys/content-seal.ts'
import { openCells, openLookup, packCells, packLookup, packParts, partAt } from './packed.ts'

/** Views under a caller's key as they are kept between two questions: bytes that nobody reads without the key. */
export interface SealedViews {
  /** What they are of, which is authenticated with every piece. */
  readonly name: string
  readonly pieces: readonly Buffer[]
}

/** What is read of every view, with the numbers of the pieces that hold the rest. */
interface Outline {
  people: number
  views: {
    type: string
    nouns: string[][]
    /** All labels and spellings of the view's columns in one piece, two parts for each. */
    words: number
    /** How many rows there are. */
    count: number
    /** The pieces of its rows, in order. */
    rows: number[]
    columns: { name: string; words: string[]; kind: ColumnKind; isPerson: boolean; cells: number }[]
  }[]
}

/** Rows of one piece: a list shows rows that are near each other, and opening a piece takes as long as reading few. */
const ROWS_PER_PIECE = 256
/** Sealing lets other work in after so long. */
const SLICE_MS = 10

/** The views, sealed in pieces of which a question opens those that it looks at. Lets other work in. */
export async function sealViews(seal: ContentSeal, name: string, views: readonly View[]): Promise<SealedViews> {
  const yieldPoint = createYieldPoint(SLICE_MS)
  const pieces: Buffer[] = []
  const sealed = (piece: number, bytes: Uint8Array) => seal.seal(placeOf(name, piece), bytes)
  const add = async (bytes: Uint8Array) => {
    const piece = pieces.push(sealed(pieces.length, bytes)) - 1
    await yieldPoint()
    return piece
  }
  // The outline comes first and is made last: it tells where the others are.
  pieces.push(Buffer.alloc(0))
  const outline: Outline = { people: await add(packWords(views.slice(0, 1).map(({ people }) => people))), views: [] }
  for (const { type, nouns, columns, rows } of views) {
    const own: Outline['views'][number] = {
      ...{ type, nouns, words: await add(packWords(columns)), count: rows.length },
      rows: [],
      columns: [],
    }
    for (let from = 0; from < rows.length; from += ROWS_PER_PIECE) own.rows.push(await add(packRows(rows, from)))
    for (const { name: called, words, kind, isPerson, cells } of columns) {
      own.columns.push({ name: called, words, kind, isPerson, cells: await add(packCells(kind, cells)) })
    }
    outline.views.push(own)
  }
  pieces[0] = sealed(0, json(outline))
  return { name, pieces }
}

/** The views for one who holds the key, each piece opened when it is looked at. */
export function openViews(seal: ContentSeal, { name, pieces }: SealedViews): View[] {
  const open = (piece: number) => once(() => seal.open(placeOf(name, piece), pieces[piece]!))
  const outline = JSON.parse(open(0)().toString()) as Outline
  const people = openWords(open(outline.people), 0)
  return outline.views.map(({ type, nouns, words, count, rows, columns }) => {
    const ownWords = open(words)
    const ownRows = rows.map(open)
    const rowAt = (row: number) => toRow(partAt(ownRows[Math.floor(row / ROWS_PER_PIECE)]!(), row % ROWS_PER_PIECE))
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

function placeOf(name: string, piece: number): string {
  return `rows/${name}/${piece}`
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
  const count = Math.min(ROWS_PER_PIECE, rows.length - from)
  return packParts(Array.from({ length: count }, (_, at) => json(rows.at(from + at)!)))
}

function toRow(bytes: Buffer): ViewRow {
  return JSON.parse(bytes.toString()) as ViewRow
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
