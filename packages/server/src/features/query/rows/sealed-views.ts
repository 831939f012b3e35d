import { once } from '../../../base/once.ts'
import type { ContentSeal } from '../../caller-keys/content-seal.ts'
import { openCells, openLookup, packCells, packLookup, packParts, partAt } from './packed.ts'
import type { Cell, Column, ColumnKind, Row, View } from './plan.ts'

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
    rows: number
    columns: { name: string; words: string[]; kind: ColumnKind; isPerson: boolean; cells: number }[]
  }[]
}

/** The views, sealed in pieces of which a question opens those that it looks at. */
export function sealViews(seal: ContentSeal, name: string, views: readonly View[]): SealedViews {
  const pieces: Buffer[] = []
  const seen = (piece: number, bytes: Uint8Array) => seal.seal(placeOf(name, piece), bytes)
  const add = (bytes: Uint8Array) => pieces.push(seen(pieces.length, bytes)) - 1
  // The outline comes first and is made last: it tells where the others are.
  pieces.push(Buffer.alloc(0))
  const outline: Outline = {
    people: add(packWords(views.slice(0, 1).map(({ people }) => people))),
    views: views.map(({ type, nouns, columns, rows }) => ({
      type,
      nouns,
      words: add(packWords(columns)),
      count: rows.length,
      rows: add(packParts(Array.from({ length: rows.length }, (_, at) => json(rows.at(at)!)))),
      columns: columns.map(({ name: own, words, kind, isPerson, cells }) => {
        return { name: own, words, kind, isPerson, cells: add(packCells(kind, cells)) }
      }),
    })),
  }
  pieces[0] = seen(0, json(outline))
  return { name, pieces }
}

/** The views for one who holds the key, each piece opened when it is looked at. */
export function openViews(seal: ContentSeal, { name, pieces }: SealedViews): View[] {
  const open = (piece: number) => once(() => seal.open(placeOf(name, piece), pieces[piece]!))
  const outline = JSON.parse(open(0)().toString()) as Outline
  const people = openWords(open(outline.people), 0)
  return outline.views.map(({ type, nouns, words, count, rows, columns }) => {
    const [ownWords, ownRows] = [open(words), open(rows)]
    return {
      type,
      nouns,
      columns: columns.map(({ cells, ...column }, at) => {
        const opened = once((): readonly Cell[] => openCells(column.kind, open(cells)()))
        return withCells({ ...column, ...openWords(ownWords, at) }, opened)
      }),
      rows: { length: count, at: (row) => (row < count ? toRow(partAt(ownRows(), row)) : undefined) },
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

function toRow(bytes: Buffer): Row {
  return JSON.parse(bytes.toString()) as Row
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value))
}
