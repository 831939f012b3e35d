import { type DocumentFile, type DocumentItem, Refusal, type Value } from '../document.ts'
import { placeInSheet, readTable, type SheetRow } from '../formats/read-table.ts'
import { type Attributes, attribute, openXml, readXml, type XmlHandler } from '../xml.ts'
import { propertiesOf, relationshipsOf, type ZipMembers } from '../zip-members.ts'

const BOOK = 'xl/workbook.xml'
/** Sheets of one workbook that are read. */
const SHEETS_MAX = 1_000
/** Shared strings of one workbook. */
const STRINGS_MAX = 4_000_000

interface Book {
  sheets: { name: string; part: string }[]
  isFrom1904: boolean
  strings: readonly string[]
  /** Whether a cell of the style is a time. */
  isTime: readonly boolean[]
}

/** Every sheet of a workbook, hidden ones too, with the values that were last computed. */
export async function* readXlsx({ zip, file }: { file: DocumentFile; zip: ZipMembers }): AsyncGenerator<DocumentItem> {
  const book = await bookOf(zip)
  const properties = { sheets: book.sheets.length }
  yield { kind: 'head', format: 'xlsx', within: [], ...(await propertiesOf(zip, 'docProps/core.xml')), properties }
  const isOne = book.sheets.length === 1
  const stem = file.name
    .split('/')
    .at(-1)!
    .replace(/\.[^.]+$/, '')
  for (const { name, part } of book.sheets) {
    const locate = (row: number, columns: readonly number[]) => placeInSheet(name, row, columns)
    yield* readTable({ name: isOne ? stem : name, isNamed: !isOne, rows: rowsOf(zip, part, book), locate })
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
      // A sheet that is named again is not read again.
      if (part && !sheets.some((each) => each.part === part))
        sheets.push({ name: attribute(attributes, 'name') ?? '', part })
    },
  })
  const partOf = (type: string) => [...parts.values()].find((each) => each.type === type)?.target ?? ''
  return {
    sheets,
    isFrom1904,
    strings: await sharedStrings(zip, partOf('sharedStrings')),
    isTime: await timeStyles(zip, partOf('styles')),
  }
}

async function sharedStrings(zip: ZipMembers, part: string): Promise<string[]> {
  const strings: string[] = []
  let text = ''
  let isText = false
  let isReading = 0
  await readXml(zip.chunks(part), {
    open: (name) => {
      if (name === 'si') text = ''
      else if (name === 't') isText = true
      // How a text is to be pronounced stands beside it.
      else if (name === 'rPh') isReading += 1
    },
    text: (more) => {
      if (isText && isReading === 0) text += more
    },
    close: (name) => {
      if (name === 't') isText = false
      else if (name === 'rPh') isReading -= 1
      else if (name === 'si') {
        if (strings.length >= STRINGS_MAX) throw new Refusal('took_too_much')
        strings.push(text)
      }
    },
  })
  return strings
}

/** Formats of times that every workbook has, by their numbers: ECMA-376, 18.8.30. */
const TIME_FORMATS = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])

async function timeStyles(zip: ZipMembers, part: string): Promise<boolean[]> {
  const own = new Map<number, boolean>()
  const styles: boolean[] = []
  let isIn = false
  await readXml(zip.chunks(part), {
    open: (name, attributes) => {
      const id = Number(attribute(attributes, 'numFmtId'))
      if (name === 'cellXfs') isIn = true
      else if (name === 'numFmt') own.set(id, tellsTime(attribute(attributes, 'formatCode') ?? ''))
      else if (name === 'xf' && isIn) styles.push(own.get(id) ?? TIME_FORMATS.has(id))
    },
    close: (name) => {
      if (name === 'cellXfs') isIn = false
    },
  })
  return styles
}

/** Whether a format shows parts of a time, beside what stands in quotes and in brackets. */
function tellsTime(format: string): boolean {
  return /[ymdhs]/i.test(format.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))
}

async function* rowsOf(zip: ZipMembers, part: string, book: Book): AsyncGenerator<SheetRow> {
  const reader = new SheetReader(book)
  const xml = openXml(reader)
  for await (const piece of zip.chunks(part)) {
    xml.write(piece)
    yield* reader.take()
  }
  xml.end()
  yield* reader.take()
}

class SheetReader implements XmlHandler {
  readonly #book: Book
  readonly #done: SheetRow[] = []
  #row = 0
  #column = -1
  #cells = new Map<number, Value>()
  #type = ''
  #style = 0
  #text = ''
  #isValue = false

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
    } else if (name === 'v' || name === 't') this.#isValue = true
  }

  text(text: string): void {
    if (this.#isValue) this.#text += text
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#isValue = false
    else if (name === 'c') {
      const value = this.#value()
      if (value !== undefined && value !== '') this.#cells.set(this.#column, value)
    } else if (name === 'row') this.#done.push({ row: this.#row, cells: this.#cells })
  }

  #value(): Value | undefined {
    const text = this.#text.trim()
    if (text === '') return undefined
    if (this.#type === 's') return this.#book.strings[Number(text)]?.trim()
    if (this.#type === 'b') return text === '1'
    if (this.#type === 'n') {
      const number = Number(text)
      if (!Number.isFinite(number)) return text
      return this.#book.isTime[this.#style] ? timeOf(number, this.#book.isFrom1904) : number
    }
    return this.#type === 'e' ? undefined : text
  }
}

/** The column of a cell's place, counted from 0. */
function columnOf(place: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place ?? '')?.[0]
  if (!letters) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

const MS_PER_DAY = 86_400_000
/** The day before the first one of a workbook, which takes 1900 for a leap year, and of one that counts from 1904. */
const EPOCH = Date.UTC(1899, 11, 30)
const EPOCH_1904 = Date.UTC(1904, 0, 1)

/** A time that is counted in days: a day, a time of a day, or a time alone. */
function timeOf(days: number, isFrom1904: boolean): Value {
  const at = new Date((isFrom1904 ? EPOCH_1904 : EPOCH) + Math.round(days * 86_400) * 1000)
  if (Number.isNaN(at.getTime()) || days < 0) return days
  const told = at.toISOString()
  if (days < 1) return told.slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM'.length)
  return (at.getTime() - EPOCH) % MS_PER_DAY === 0 ? told.slice(0, 'YYYY-MM-DD'.length) : told
}
