import {
  type DocumentFile,
  type DocumentItem,
  markdownHeading,
  markdownLink,
  oneLine,
  partsOf,
  type Unit,
} from '../document.ts'
import { isFormulaError } from '../formats/quantity.ts'
import { cellReference, readTable } from '../formats/read-table.ts'
import { type MergedRegion, type SheetCell, type SheetRow, stemOf } from '../formats/sheet.ts'
import { TableGrid } from '../table-grid.ts'
import { type Attributes, attribute, openXml, type XmlHandler } from '../xml.ts'
import { propertiesOf, type ZipMembers } from '../zip-members.ts'
import { fillMerged, REGIONS_MAX } from './merged-cells.ts'
import { quantityCell } from './number-format.ts'

const CONTENT = 'content.xml'

/** Reads an OpenDocument text or presentation: headings, lists, tables, links, notes and slides. */
export async function* readOpenDocument({
  zip,
  format,
}: {
  zip: ZipMembers
  format: 'odt' | 'odp'
}): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format, within: [], ...(await propertiesOf(zip, 'meta.xml')) }
  yield* partsOf(readWith(zip, new TextReader()))
}

/** Reads every sheet of an OpenDocument spreadsheet. */
export async function* readOds({ zip, file }: { file: DocumentFile; zip: ZipMembers }): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format: 'ods', within: [], ...(await propertiesOf(zip, 'meta.xml')) }
  const sheets: { name: string; rows: SheetRow[]; regions: MergedRegion[] }[] = []
  for await (const { sheet, row, regions } of readWith(zip, new SheetsReader())) {
    if (sheets.at(-1)?.name !== sheet) sheets.push({ name: sheet, rows: [], regions: [] })
    const read = sheets.at(-1)!
    read.rows.push(row)
    for (const region of regions) if (read.regions.length < REGIONS_MAX) read.regions.push(region)
  }
  const isOne = sheets.length === 1
  for (const { name, rows, regions } of sheets) {
    const locate = (row: number, columns: readonly number[]) => cellReference(name, row, columns)
    yield* readTable({
      name: isOne ? stemOf(file.name) : name,
      isNamed: !isOne,
      rows: fillMerged(rows, regions),
      locate,
    })
  }
}

async function* readWith<T>(zip: ZipMembers, reader: XmlHandler & { take(): T[] }): AsyncGenerator<T> {
  const xml = openXml(reader)
  for await (const chunk of zip.chunks(CONTENT)) {
    xml.write(chunk)
    yield* reader.take()
  }
  xml.end()
  yield* reader.take()
}

interface Paragraph {
  level: number | undefined
  text: string
}

class TextReader implements XmlHandler {
  readonly #done: Unit[] = []
  readonly #open: Paragraph[] = []
  readonly #tables: { grid: TableGrid; cell: string[]; attributes: Attributes }[] = []
  readonly #links: { from: number; url: string | undefined }[] = []
  #lists = 0
  #slide = 0
  #hiddenDepth = 0

  take(): Unit[] {
    return this.#done.splice(0)
  }

  open(name: string, attributes: Attributes): void {
    if (HIDDEN_ELEMENTS.has(name)) this.#hiddenDepth += 1
    const paragraph = this.#open.at(-1)
    const table = this.#tables.at(-1)
    if (name === 'page') this.#slide += 1
    else if (name === 'p' || name === 'h')
      this.#open.push({
        level: name === 'h' ? Number(attribute(attributes, 'outline-level') ?? 1) : undefined,
        text: '',
      })
    else if (name === 'list') this.#lists += 1
    else if (name === 'table') this.#tables.push({ grid: new TableGrid(), cell: [], attributes })
    else if (name === 'table-row') this.#tables.at(-1)?.grid.openRow()
    else if (name === 'table-cell' && table) [table.cell, table.attributes] = [[], attributes]
    else if (!paragraph) return
    else if (name === 's') paragraph.text += ' '
    else if (name === 'tab') paragraph.text += ' '
    else if (name === 'line-break') paragraph.text += '\n'
    else if (name === 'a') this.#links.push({ from: paragraph.text.length, url: attribute(attributes, 'href') })
  }

  text(text: string): void {
    const paragraph = this.#open.at(-1)
    if (paragraph && this.#hiddenDepth === 0) paragraph.text += text.replace(/\s+/g, ' ')
  }

  close(name: string): void {
    if (HIDDEN_ELEMENTS.has(name)) this.#hiddenDepth -= 1
    else if (name === 'p' || name === 'h') this.#end(this.#open.pop())
    else if (name === 'list') this.#lists -= 1
    else if (name === 'table-cell') {
      const table = this.#tables.at(-1)
      const count = (key: string) => countIn(table?.attributes ?? {}, key)
      for (let times = Math.min(COPIES_MAX, count('number-columns-repeated')); times > 0; times -= 1)
        table?.grid.cell(table.cell.join(' '), count('number-columns-spanned'), count('number-rows-spanned'))
    } else if (name === 'table') {
      const table = this.#tables.pop()?.grid.markdown() ?? ''
      if (table !== '') this.#emit(table)
    } else if (name === 'a') {
      const [link, paragraph] = [this.#links.pop(), this.#open.at(-1)]
      if (link && paragraph)
        paragraph.text = paragraph.text.slice(0, link.from) + markdownLink(paragraph.text.slice(link.from), link.url)
    }
  }

  #end(paragraph: Paragraph | undefined): void {
    const text = paragraph?.text.trim()
    if (!text || this.#hiddenDepth > 0) return
    if (paragraph?.level !== undefined) this.#emit(markdownHeading(paragraph.level, text))
    else if (this.#lists > 0 && this.#tables.length === 0)
      this.#emit(`${'  '.repeat(this.#lists - 1)}- ${oneLine(text)}`)
    else this.#emit(text)
  }

  #emit(text: string): void {
    const table = this.#tables.at(-1)
    if (table) table.cell.push(text)
    else this.#done.push({ text, ...(this.#slide > 0 && { locator: `slide ${this.#slide}` }) })
  }
}

/** Maximum number of copies of a repeated cell that are read in a text table. */
const COPIES_MAX = 100
/** Elements whose content is not part of the text: tracked deletions, headers, footers and numbers. */
const HIDDEN_ELEMENTS = new Set(['tracked-changes', 'header', 'footer', 'note-citation', 'page-number'])
/** Maximum number of copies of a repeated cell or row. Sheets repeat empty cells and rows up to their end. */
const REPEATED_MAX = 1_000

interface OdsCell {
  times: number
  /** Number of columns and rows that the cell spans. */
  across: number
  down: number
  attributes: Attributes
  text: string
}

/** A row, with the merged regions that begin in it. */
interface OdsRow {
  sheet: string
  row: SheetRow
  regions: readonly MergedRegion[]
}

class SheetsReader implements XmlHandler {
  readonly #done: OdsRow[] = []
  #sheet = ''
  #row = 0
  #rowTimes = 1
  #column = 0
  #cells = new Map<number, SheetCell>()
  #cell: OdsCell | undefined
  #regions: MergedRegion[] = []

  take(): OdsRow[] {
    return this.#done.splice(0)
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'table') [this.#sheet, this.#row] = [attribute(attributes, 'name') ?? '', 0]
    else if (name === 'table-row') {
      this.#rowTimes = countIn(attributes, 'number-rows-repeated')
      this.#column = 0
      this.#cells = new Map()
      this.#regions = []
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      const times = countIn(attributes, 'number-columns-repeated')
      const across = countIn(attributes, 'number-columns-spanned')
      this.#cell = { times, across, down: countIn(attributes, 'number-rows-spanned'), attributes, text: '' }
    } else if (name === 'p' && this.#cell && this.#cell.text !== '') this.#cell.text += '\n'
    else if (name === 's' && this.#cell) this.#cell.text += ' '
  }

  text(text: string): void {
    if (this.#cell) this.#cell.text += text
  }

  close(name: string): void {
    if (name === 'covered-table-cell' && this.#cell) {
      this.#column += this.#cell.times
      this.#cell = undefined
    } else if (name === 'table-cell' && this.#cell) {
      this.#endCell(this.#cell)
      this.#cell = undefined
    } else if (name === 'table-row') this.#endRow()
  }

  #endCell({ times, across, down, attributes, text }: OdsCell): void {
    const cell = sheetCell(attributes, text.trim())
    const [top, left] = [this.#row + 1, this.#column]
    const isMerged = across > 1 || down > 1
    if (cell && isMerged) this.#regions.push({ top, bottom: top + down - 1, left, right: left + across - 1 })
    const copies = cell ? Math.min(isMerged ? 1 : times, REPEATED_MAX) : 0
    for (let at = 0; at < copies; at += 1) this.#cells.set(left + at, cell!)
    this.#column += times
  }

  #endRow(): void {
    const cells = this.#cells
    const times = cells.size > 0 ? Math.min(this.#rowTimes, REPEATED_MAX) : 0
    for (let at = 0; at < times; at += 1) {
      const regions = at === 0 ? this.#regions : []
      this.#done.push({ sheet: this.#sheet, row: { row: this.#row + 1 + at, cells }, regions })
    }
    this.#row += this.#rowTimes
  }
}

function countIn(attributes: Attributes, name: string): number {
  return Number(attribute(attributes, name) ?? 1) || 1
}

const PERCENT = 100
const SUM_OF_RANGE =
  /^(?:of:)?=(?:SUM|SUBTOTAL|AVERAGE|COUNTA?)\((?:\d+;)?\[\.\$?([A-Z]{1,3})\$?\d+:\.\$?([A-Z]{1,3})\$?\d+\]\)$/

/** Returns a cell by its type and value. Its text is the displayed form. */
function sheetCell(attributes: Attributes, shown: string): SheetCell | undefined {
  if (isFormulaError(shown)) return undefined
  const type = attribute(attributes, 'value-type')
  const value = attribute(attributes, 'value')
  if (value !== undefined && Number.isFinite(Number(value))) {
    const cell = quantityCell(Number(value), shown, type === 'percentage' ? PERCENT : 1)
    const unit = cell.unit ?? (type === 'currency' ? attribute(attributes, 'currency') : undefined)
    const [, from, to] = SUM_OF_RANGE.exec(attribute(attributes, 'formula')?.slice(0, 255) ?? '') ?? []
    return { ...cell, ...(unit && { unit }), ...(from !== undefined && from === to && { isSum: true }) }
  }
  if (type === 'date') {
    const day = attribute(attributes, 'date-value') ?? ''
    return { value: day.length > 'YYYY-MM-DD'.length ? `${day.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z` : day }
  }
  if (type === 'time') return timeCell(attribute(attributes, 'time-value') ?? '', shown)
  if (type === 'boolean') return { value: attribute(attributes, 'boolean-value') === 'true' }
  return shown === '' ? undefined : { value: shown }
}

const HOURS_PER_DAY = 24
const MINUTES_PER_HOUR = 60
const SECONDS_PER_HOUR = 3_600

/** Returns a time of day as displayed. From 24 hours on, returns a duration in hours. */
function timeCell(duration: string, shown: string): SheetCell | undefined {
  const [, hours = '0', minutes = '0', seconds = '0'] = /^P(?:T(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S)$/.exec(duration) ?? []
  const value = Number(hours) + Number(minutes) / MINUTES_PER_HOUR + Number(seconds) / SECONDS_PER_HOUR
  if (value >= HOURS_PER_DAY) return { value, shown, unit: 'h' }
  return shown === '' ? undefined : { value: shown }
}
