import { type DocumentFile, type DocumentItem, Refusal } from '../document.ts'
import { cellReference, readTable } from '../formats/read-table.ts'
import { type MergedRegion, type SheetCell, type SheetRow, stemOf } from '../formats/sheet.ts'
import { type Attributes, attribute, openXml, readXml, type XmlHandler } from '../xml.ts'
import { propertiesOf, relationshipsOf, type ZipMembers } from '../zip-members.ts'
import { fillMerged, REGIONS_MAX } from './merged-cells.ts'
import { numberReader, plainNumber, type ReadNumber } from './number-format.ts'

const BOOK = 'xl/workbook.xml'
const SHEETS_MAX = 1_000
/** Maximum number of shared strings in a workbook. */
const STRINGS_MAX = 4_000_000

interface Book {
  sheets: { name: string; part: string }[]
  strings: readonly string[]
  /** Number readers by cell style. Undefined for a style without a number format. */
  styles: readonly (ReadNumber | undefined)[]
}

/** Reads every sheet of a workbook, including hidden ones. For formulas, the stored results are used. */
export async function* readXlsx({ zip, file }: { file: DocumentFile; zip: ZipMembers }): AsyncGenerator<DocumentItem> {
  const book = await bookOf(zip)
  const properties = { sheets: book.sheets.length }
  yield { kind: 'head', format: 'xlsx', within: [], ...(await propertiesOf(zip, 'docProps/core.xml')), properties }
  const isOne = book.sheets.length === 1
  for (const { name, part } of book.sheets) {
    const locate = (row: number, columns: readonly number[]) => cellReference(name, row, columns)
    const rows = fillMerged(rowsOf(zip, part, book), await mergedIn(zip, part))
    yield* readTable({ name: isOne ? stemOf(file.name) : name, isNamed: !isOne, rows, locate })
  }
}

async function bookOf(zip: ZipMembers): Promise<Book> {
  const parts = await relationshipsOf(zip, BOOK)
  const sheets: Book['sheets'] = []
  let isFrom1904 = false
  await readXml(zip.chunks(BOOK), {
    open: (name, attributes) => {
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attribute(attributes, 'date1904') ?? '')
      if (name !== 'sheet' || sheets.length >= SHEETS_MAX) return
      const key = Object.keys(attributes).find((each) => each.endsWith(':id'))
      const part = key ? parts.get(attributes[key]!)?.target : undefined
      // Each sheet is read only once, even if it is listed several times.
      if (part && !sheets.some((each) => each.part === part))
        sheets.push({ name: attribute(attributes, 'name') ?? '', part })
    },
  })
  const partOf = (type: string) => [...parts.values()].find((each) => each.type === type)?.target ?? ''
  return {
    sheets,
    strings: await sharedStrings(zip, partOf('sharedStrings')),
    styles: await numberStyles(zip, partOf('styles'), isFrom1904),
  }
}

async function sharedStrings(zip: ZipMembers, part: string): Promise<string[]> {
  const strings: string[] = []
  let text = ''
  let isText = false
  let phoneticDepth = 0
  await readXml(zip.chunks(part), {
    open: (name) => {
      if (name === 'si') text = ''
      else if (name === 't') isText = true
      // Phonetic guides of a text (furigana) are skipped.
      else if (name === 'rPh') phoneticDepth += 1
    },
    text: (more) => {
      if (isText && phoneticDepth === 0) text += more
    },
    close: (name) => {
      if (name === 't') isText = false
      else if (name === 'rPh') phoneticDepth -= 1
      else if (name === 'si') {
        if (strings.length >= STRINGS_MAX) throw new Refusal('took_too_much')
        strings.push(text)
      }
    },
  })
  return strings
}

async function numberStyles(zip: ZipMembers, part: string, isFrom1904: boolean): Promise<Book['styles']> {
  const codes = new Map<number, string>()
  const readers = new Map<number, ReadNumber>()
  const styles: (ReadNumber | undefined)[] = []
  let isIn = false
  const readerOf = (id: number) => {
    const reader = readers.get(id) ?? numberReader(codes.get(id), id, isFrom1904)
    readers.set(id, reader)
    return reader
  }
  await readXml(zip.chunks(part), {
    open: (name, attributes) => {
      const id = Number(attribute(attributes, 'numFmtId') ?? 0)
      if (name === 'cellXfs') isIn = true
      else if (name === 'numFmt') codes.set(id, attribute(attributes, 'formatCode') ?? '')
      else if (name === 'xf' && isIn) styles.push(id === 0 ? undefined : readerOf(id))
    },
    close: (name) => {
      if (name === 'cellXfs') isIn = false
    },
  })
  return styles
}

/** Returns the merged regions of a sheet. They come after the rows in the file, so it is read separately for them. */
async function mergedIn(zip: ZipMembers, part: string): Promise<MergedRegion[]> {
  const regions: MergedRegion[] = []
  let rest = ''
  for await (const chunk of zip.chunks(part)) {
    const text = rest + Buffer.from(chunk).toString('latin1')
    for (const [, left, top, right, bottom] of text.matchAll(MERGE_CELL)) {
      if (regions.length >= REGIONS_MAX) return regions
      const [from, to] = [columnOf(left), columnOf(right)]
      if (from !== undefined && to !== undefined)
        regions.push({ top: Number(top), bottom: Number(bottom), left: from, right: to })
    }
    const last = text.lastIndexOf('<')
    rest = last >= 0 && text.indexOf('>', last) < 0 ? text.slice(last, last + MERGE_CELL_CHARS_MAX) : ''
  }
  return regions
}

const MERGE_CELL = /<(?:\w{1,20}:)?mergeCell\s[^<>]{0,200}?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g
/** Maximum length of an incomplete element that is kept until the next chunk. A mergeCell element is shorter. */
const MERGE_CELL_CHARS_MAX = 300

async function* rowsOf(zip: ZipMembers, part: string, book: Book): AsyncGenerator<SheetRow> {
  const reader = new SheetReader(book)
  const xml = openXml(reader)
  for await (const chunk of zip.chunks(part)) {
    xml.write(chunk)
    yield* reader.take()
  }
  xml.end()
  yield* reader.take()
}

class SheetReader implements XmlHandler {
  readonly #book: Book
  readonly #done: SheetRow[] = []
  /** The last number format in each column. */
  readonly #formats = new Map<number, ReadNumber>()
  /** True for the ids of shared formulas that are sums. */
  readonly #shared = new Map<string, boolean>()
  #row = 0
  #column = -1
  #cells = new Map<number, SheetCell>()
  #type = ''
  #style = 0
  #text = ''
  #formula: string | undefined
  #sharedId: string | undefined
  #part: 'value' | 'formula' | undefined

  constructor(book: Book) {
    this.#book = book
  }

  take(): SheetRow[] {
    return this.#done.splice(0)
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') {
      this.#row = Number(attribute(attributes, 'r')) || this.#row + 1
      this.#column = -1
      this.#cells = new Map()
    } else if (name === 'c') {
      this.#column = columnOf(attribute(attributes, 'r')) ?? this.#column + 1
      this.#type = attribute(attributes, 't') ?? 'n'
      this.#style = Number(attribute(attributes, 's') ?? 0)
      this.#text = ''
      this.#formula = undefined
      this.#sharedId = undefined
    } else if (name === 'v' || name === 't') this.#part = 'value'
    else if (name === 'f') {
      this.#part = 'formula'
      this.#formula = ''
      this.#sharedId = attribute(attributes, 'si')
    }
  }

  text(text: string): void {
    if (this.#part === 'value') this.#text += text
    else if (this.#part === 'formula') this.#formula += text
  }

  close(name: string): void {
    if (name === 'v' || name === 't' || name === 'f') this.#part = undefined
    else if (name === 'c') {
      const cell = this.#cell()
      if (cell !== undefined && cell.value !== '') this.#cells.set(this.#column, cell)
    } else if (name === 'row') this.#done.push({ row: this.#row, cells: this.#cells })
  }

  #cell(): SheetCell | undefined {
    const text = this.#text.trim()
    if (text === '' || this.#type === 'e') return undefined
    if (this.#type === 's') return { value: this.#book.strings[Number(text)]?.trim() ?? '' }
    if (this.#type === 'b') return { value: text === '1' }
    const number = this.#type === 'n' ? Number(text) : Number.NaN
    if (!Number.isFinite(number)) return { value: text }
    const own = this.#book.styles[this.#style]
    if (own) this.#formats.set(this.#column, own)
    const read = own ?? this.#formatOfTerms() ?? plainNumber
    return { ...read(number), ...(this.#isSum() && { isSum: true }) }
  }

  /** Returns the number format of the formula's operands. Spreadsheet programs use it if the formula has no format. */
  #formatOfTerms(): ReadNumber | undefined {
    const formula = this.#formula?.slice(0, FORMULA_CHARS_MAX) ?? ''
    if (!ADDITION.test(formula)) return undefined
    const columns = [...formula.matchAll(/\$?([A-Z]{1,3})\$?\d/g)].map(([, column]) => columnOf(column))
    const formats = new Set(columns.map((column) => this.#formats.get(column ?? -1)))
    return formats.size === 1 ? [...formats][0] : undefined
  }

  /** Returns true if the cell's formula aggregates a range of its own column or of a table. */
  #isSum(): boolean {
    const formula = this.#formula?.slice(0, FORMULA_CHARS_MAX)
    if (formula === undefined) return false
    const id = this.#sharedId
    if (formula === '') return id !== undefined && this.#shared.get(id) === true
    const [, from, to] = SUM_OF_RANGE.exec(formula) ?? []
    const isOwn = from !== undefined && from === to && columnOf(from) === this.#column
    const isSum = isOwn || SUM_OF_TABLE.test(formula)
    if (id !== undefined) this.#shared.set(id, isSum)
    return isSum
  }
}

const FORMULA_CHARS_MAX = 1_000
const ADDITION = /^\+?(?:(?:SUM|MIN|MAX|AVERAGE|SUBTOTAL|ROUND)\((?:\d+,)?|[A-Z$]{1,5}\d{1,7}|[-+:,()]|,\d)+$/
const SUM_OF_RANGE =
  /^\+?(?:SUM|SUBTOTAL|AGGREGATE|AVERAGE|COUNTA?)\((?:\d+,){0,2}\$?([A-Z]{1,3})\$?\d+:\$?([A-Z]{1,3})\$?\d+\)$/
const SUM_OF_TABLE = /^SUBTOTAL\(\d+,[^()]{0,255}\[[^()]{1,255}\]\)$/

/** Returns the column in a cell reference, from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (!letters) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
