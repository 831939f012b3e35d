import { foldText } from '../text/words.ts'

/** Content of a column: a text, several texts, a number, a Boolean, or a time in milliseconds since 1970. */
export type ColumnKind = 'text' | 'list' | 'number' | 'flag' | 'time'

/** A cell. A text that names an entity is replaced by the entity's id. */
export type Cell = string | number | boolean | readonly string[] | null

/** A read-only map with texts as keys. */
export interface Lookup<V> extends Iterable<readonly [string, V]> {
  get(text: string): V | undefined
  has(text: string): boolean
}

/** A column of a view. Its type is inferred from the rows of a sandbox. */
export interface Column {
  /** Name of the property, or `author` or `occurred_at`. */
  name: string
  /** Words of its name: `due_date` has due, date. */
  words: string[]
  kind: ColumnKind
  /** True if its texts are ids of people. */
  isPerson: boolean
  /** Unit of its numbers, if any. */
  unit?: string
  /** Display text of each text cell. */
  labels: Lookup<string>
  /** Cells by the words that name them, joined by spaces. */
  spellings: Lookup<ReadonlySet<string>>
  /** Cells, one for each row. */
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

/** A row's record, and the entity that represents the row in citations. */
export interface ViewRow {
  recordId: string
  /** Id of the entity that the record describes, or of the record if it describes none. */
  citedId: string
  externalId: string
  title: string
  occurredAt: string | null
}

/** Rows, accessed by index. */
export interface Rows {
  readonly length: number
  at(index: number): ViewRow | undefined
}

/** All records of one type in a scope as typed rows. */
export interface View {
  type: string
  /** Nouns for its rows, in singular and plural. */
  nouns: string[][]
  columns: Column[]
  rows: Rows
  /** All people in scope. They distinguish a person without rows from an unknown name. */
  people: Pick<Column, 'labels' | 'spellings'>
}

/** Maximum number of groups or rows in an answer. */
export const ROWS_SHOWN_MAX = 100

/** A condition on a column, by its index. A time span includes `from` and excludes `to`. */
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

/** A complete query on one view. It covers every word of the question. */
export type Plan = { type: string; where: Condition[] } & (
  | { asks: 'count' }
  | { asks: 'rows' }
  | { asks: 'groups'; group: Group }
  /** Asks for the groups with the most or fewest rows, or with the greatest or least sum of a column. */
  | { asks: 'best'; group: Group; sum?: number; isLeast: boolean }
  /** Asks for the rows with the greatest or least value of a column. */
  | { asks: 'extreme'; column: number; isLeast: boolean }
  | { asks: 'sum' | 'average'; column: number }
  /** Asks for a cell of one row, which the question identifies by its title. */
  | { asks: 'value'; column: number }
)

/** A word of a question with its offsets in the text. */
export interface QuestionWord {
  text: string
  from: number
  to: number
}

const WORD = /[\p{L}\p{N}]+|>=|<=|[<>=%+&|]/gu
const POSSESSIVE = /['’]s\b/g

/** Returns the words of a text in lower case without accents. Operators count as words. */
export function tokensOf(text: string): QuestionWord[] {
  const plain = text.replace(POSSESSIVE, '  ')
  return [...plain.matchAll(WORD)].map((found) => ({
    text: foldText(found[0]).toLowerCase(),
    from: found.index,
    to: found.index + found[0].length,
  }))
}

/** Returns the words of a text without offsets. */
export function wordsOf(text: string): string[] {
  return tokensOf(text).map((token) => token.text)
}
