import { foldText } from '../text/words.ts'

/** What a column holds: one text, several texts, a number, yes or no, or a moment in milliseconds since 1970. */
export type ColumnKind = 'text' | 'list' | 'number' | 'flag' | 'time'

/** One cell; a text that names an entity is the entity's id. */
export type Cell = string | number | boolean | readonly string[] | null

/** A map from texts that is looked into, or gone through in its order. */
export interface Lookup<V> extends Iterable<readonly [string, V]> {
  get(text: string): V | undefined
  has(text: string): boolean
}

/** One column of a view, typed by what the rows of a sandbox hold. */
export interface Column {
  /** Its name as the records write it, or `author` and `occurred_at`. */
  name: string
  /** Its name in words: `due_date` is due, date. */
  words: string[]
  kind: ColumnKind
  /** Whether its texts are ids of people. */
  isPerson: boolean
  /** The unit of its numbers, if any. */
  unit?: string
  /** How each text is shown, by its cell. */
  labels: Lookup<string>
  /** The cells that a run of words names, by the words joined by spaces. */
  spellings: Lookup<ReadonlySet<string>>
  /** One cell for each row. */
  cells: readonly Cell[]
}

/** Returns true for the column that contains the titles of a sheet's rows: `Region` in `Region, Owner, …`. */
export function holdsTitles({ name, kind, cells, labels }: Column, rows: Rows): boolean {
  if (name === 'author' || kind !== 'text' || rows.length < 2) return false
  for (let row = 0; row < rows.length; row += 1) {
    if (labels.get(String(cells[row])) !== rows.at(row)!.title) return false
  }
  return true
}

/** A row of a view: the record and entity that it stands for, beside its cells. */
export interface ViewRow {
  recordId: string
  /** The entity that the record describes; the record itself when it describes none. */
  citedId: string
  externalId: string
  title: string
  occurredAt: string | null
}

/** Rows that are read one by one. */
export interface Rows {
  readonly length: number
  at(index: number): ViewRow | undefined
}

/** All records of one type in a scope, as typed rows. */
export interface View {
  type: string
  /** The words that name its rows, in the singular and the plural. */
  nouns: string[][]
  columns: Column[]
  rows: Rows
  /** Everybody that records in scope name, to tell somebody with no rows from somebody unknown. */
  people: Pick<Column, 'labels' | 'spellings'>
}

/** Groups, and rows, that one answer shows. */
export const ROWS_SHOWN_MAX = 100

/** A condition on one column, by its index. Times lie from `from` to before `to`. */
export type Condition =
  | { column: number; is: 'in'; values: string[] }
  | { column: number; is: 'true' | 'false' | 'filled' | 'empty' }
  | { column: number; is: 'within'; from: number | null; to: number | null }
  | { column: number; is: '>' | '<' | '>=' | '<=' | '='; value: number }

/** The grouping of rows: by a column, or by a span of its times. */
export interface Group {
  column: number
  span?: 'day' | 'month' | 'year'
}

/** What is asked of one view, fully: nothing of the question is left beside it. */
export type Plan = { type: string; where: Condition[] } & (
  | { asks: 'count' }
  | { asks: 'rows' }
  | { asks: 'groups'; group: Group }
  /** The groups with the most or the fewest rows, or the greatest or least sum of a column. */
  | { asks: 'best'; group: Group; sum?: number; isLeast: boolean }
  /** The rows with the greatest or least value of a column. */
  | { asks: 'extreme'; column: number; isLeast: boolean }
  | { asks: 'sum' | 'average'; column: number }
  /** The cell of one row, which the question calls by its title. */
  | { asks: 'value'; column: number }
)

/** A word of a question with its place in the text. */
export interface QuestionWord {
  text: string
  from: number
  to: number
}

const WORD = /[\p{L}\p{N}]+|>=|<=|[<>=%+&|]/gu
const POSSESSIVE = /['’]s\b/g

/** The words of a text, folded to lower case without accents; a sign that means something is a word. */
export function tokensOf(text: string): QuestionWord[] {
  const plain = text.replace(POSSESSIVE, '  ')
  return [...plain.matchAll(WORD)].map((found) => ({
    text: foldText(found[0]).toLowerCase(),
    from: found.index,
    to: found.index + found[0].length,
  }))
}

/** The words of a text, without their places. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).map((token) => token.text)
}
