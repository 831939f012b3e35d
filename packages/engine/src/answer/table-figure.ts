import { type Block, cellsOf } from '../text/block.ts'
import { plainLine } from '../text/clean-text.ts'
import { ownTerms, type Question } from '../understand/question.ts'
import type { Material, ScoredCandidate } from './candidates.ts'
import { attribution } from './render.ts'
import { createWeighing, isIn, type Section, sectionsOf, type Weighing, wholeSection } from './sections.ts'
import { type RenderedPassage, show } from './show.ts'

/** A column of numbers that all have the same unit, written as prefix or suffix. */
interface FigureColumn {
  readonly header: string
  readonly cells: readonly string[]
  readonly values: readonly number[]
  readonly before: string
  readonly behind: string
}

/** Matches a number in English notation with its unit. "1.234" is ambiguous and does not match. */
const CELL = /^([^\d.,-]*)(-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d{1,2}|\.\d{4,})?)([^\d.,]*)$/
const DECIMALS_MAX = 6

/** An answer from a whole section. `isSure` is true if its headings contain every topic term of the question. */
interface SectionAnswer {
  readonly shown: RenderedPassage
  readonly isSure: boolean
}

/** Returns a sum or extreme computed over a table column, otherwise the section that answers as a whole. */
export function sectionAnswer(
  question: Question,
  scored: readonly ScoredCandidate[],
  material: Material,
): SectionAnswer | undefined {
  const weighing = createWeighing(question, scored, material)
  const figure = tableFigure(question, weighing, material)
  if (figure) return figure
  const passage = wholeSection(question, weighing, material)
  return passage && { shown: show(passage, material), isSure: false }
}

/**
 * Computes the sum or extreme that a question asks for. Uses the table whose headings contain more of the question's
 * terms than any other statement. Uses the column that the question names. Otherwise, if the headings contain all
 * terms, uses the column of totals or the only column with a unit. Returns undefined if a cell is not a number with the
 * column's unit, or if the question is about only some of the rows.
 */
function tableFigure(
  question: Question,
  { weightOf, headsOf, statements }: Weighing,
  material: Material,
): SectionAnswer | undefined {
  const { extreme, isOfSum, figureWords } = question.ways
  if (extreme === undefined && !isOfSum) return undefined
  const { termsOf, segmented, records } = material
  const asks = new Set(termsOf(figureWords.join(' ')))
  const named = new Set([...ownTerms(question)].filter((term) => !asks.has(term)))
  const coverOf = ({ carries }: ScoredCandidate) =>
    carries.reduce((sum, [term, weight]) => sum + (asks.has(term) ? 0 : weight), 0)
  let best:
    | { section: Section; column: FigureColumn | undefined; names: string[]; cover: number; isWhole: boolean }
    | undefined
  for (const section of sectionsOf(material)) {
    const { record, kind, blocks } = section
    const { header = [] } = blocks[0]!
    if (kind !== 'row' || header.length === 0) continue
    const heads = headsOf(section)
    const columns = new Set(header.flatMap(termsOf))
    const isCovered = (term: string) => heads.has(term) || columns.has(term) || asks.has(term)
    const cover = weightOf((term) => isCovered(term) && !asks.has(term))
    const rival = Math.max(0, ...statements.map((each) => (isIn(each, section) ? 0 : coverOf(each))))
    if (cover === 0 || cover < rival || (best && best.cover >= cover)) continue
    const rows = blocks.map((block) => rowOf(block, segmented[record]!.text))
    const names = rows.map(([name = '']) => name)
    const isOfRows = question.terms.some(
      (term) => !isCovered(term) && names.some((name) => termsOf(name).includes(term)),
    )
    const isWhole = question.about.every(isCovered)
    const column = isOfRows ? undefined : columnFor(named, header, rows, termsOf, isWhole)
    best = { section, column, names, cover, isWhole }
  }
  if (!best?.column) return undefined
  const { section, column, names, isWhole } = best
  const record = records[section.record]!
  const computed = extreme === undefined ? sumOf(column) : extremeOf(column, names, extreme)
  const text = `${computed.text} (${section.head}). — ${attribution(record)}`
  const spans = [{ recordId: record.id, start: section.start, end: section.end }]
  return { shown: { text, recordIds: [record.id], spans, computed: computed.computed }, isSure: isWhole }
}

function rowOf({ start, end }: Block, text: string): string[] {
  return cellsOf(text.slice(start, end)).map(plainLine)
}

function columnFor(
  asked: ReadonlySet<string>,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  termsOf: Material['termsOf'],
  isWhole: boolean,
): FigureColumn | undefined {
  const columns = header.slice(1).map((name, at) =>
    readColumn(
      name,
      rows.map((row) => row[at + 1] ?? ''),
    ),
  )
  const named = columns.filter((_, at) => termsOf(header[at + 1]!).some((term) => asked.has(term)))
  if (named.length > 0) return named.length === 1 ? named[0] : undefined
  // "What did the bathroom cost?" does not ask for the sum of a table of quotes for it.
  if (!isWhole) return undefined
  const read = columns.filter((column) => column !== undefined)
  const total = read.find((one) => read.length > 2 && isTotal(one, read))
  const withUnit = read.filter(({ before, behind }) => before !== '' || behind !== '')
  return total ?? (withUnit.length === 1 ? withUnit[0] : undefined)
}

/** Returns true if each cell is the sum of the other cells in its row. */
function isTotal(column: FigureColumn, all: readonly FigureColumn[]): boolean {
  return column.values.every((value, at) => {
    const others = all.filter((one) => one !== column).map(({ values }) => values[at]!)
    return rounded(sum(others)) === value
  })
}

function readColumn(header: string, cells: readonly string[]): FigureColumn | undefined {
  const read = cells.map((cell) => CELL.exec(cell))
  const [, before = '', , behind = ''] = read[0] ?? []
  if (read.some((found) => found === null || found[1] !== before || found[3] !== behind)) return undefined
  const values = read.map((found) => Number(found![2]!.replaceAll(',', '')))
  // A last row that equals the sum of the others may be a total.
  const isSummed = rounded(sum(values.slice(0, -1))) === values.at(-1)
  return isSummed ? undefined : { header, cells, values, before, behind }
}

function sum(values: readonly number[]): number {
  return values.reduce((whole, value) => whole + value, 0)
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS_MAX))
}

function sumOf({ header, cells, values, before, behind }: FigureColumn) {
  const whole = rounded(sum(values))
  // The sum has commas between thousands, unless the cells are written without them.
  const isPlain = cells.some((cell) => /\d{4}/.test(cell))
  const digits = isPlain ? String(whole) : whole.toLocaleString('en-US', { maximumFractionDigits: DECIMALS_MAX })
  const text = `${header} in total: ${before}${digits}${behind}`
  return { text, computed: `${text} = ${cells.join(' + ')}` }
}

function extremeOf({ header, cells, values }: FigureColumn, names: readonly string[], extreme: 'most' | 'least') {
  const end = extreme === 'most' ? Math.max(...values) : Math.min(...values)
  const rows = names.filter((_, at) => values[at] === end)
  const text = `${rows.join(', ')}: ${header} ${cells[values.indexOf(end)]}`
  return { text, computed: `${extreme} of ${cells.join(', ')}: ${text}` }
}
