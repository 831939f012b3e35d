import {
  type DocumentFile,
  type DocumentItem,
  markdownHeading,
  markdownLink,
  markdownTable,
  oneLine,
  partsOf,
  type Unit,
  type Value,
} from '../document.ts'
import { placeInSheet, readTable, type SheetRow } from '../formats/read-table.ts'
import { type Attributes, attribute, openXml, type XmlHandler } from '../xml.ts'
import { propertiesOf, type ZipMembers } from '../zip-members.ts'

const CONTENT = 'content.xml'

/** A text or a presentation of OpenDocument: headings, lists, tables, links, notes, slides with theirs. */
export async function* readOpenDocument({
  zip,
  format,
}: {
  zip: ZipMembers
  format: 'odt' | 'odp'
}): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format, within: [], ...(await propertiesOf(zip, 'meta.xml')) }
  yield* partsOf(readBy(zip, new TextReader()))
}

/** Every sheet of a spreadsheet of OpenDocument. */
export async function* readOds({ zip, file }: { file: DocumentFile; zip: ZipMembers }): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format: 'ods', within: [], ...(await propertiesOf(zip, 'meta.xml')) }
  const sheets: { name: string; rows: SheetRow[] }[] = []
  for await (const { sheet, row } of readBy(zip, new SheetsReader())) {
    if (sheets.at(-1)?.name !== sheet) sheets.push({ name: sheet, rows: [] })
    sheets.at(-1)!.rows.push(row)
  }
  const isOne = sheets.length === 1
  const stem = file.name
    .split('/')
    .at(-1)!
    .replace(/\.[^.]+$/, '')
  for (const { name, rows } of sheets) {
    const locate = (row: number, columns: readonly number[]) => placeInSheet(name, row, columns)
    yield* readTable({ name: isOne ? stem : name, isNamed: !isOne, rows, locate })
  }
}

async function* readBy<T>(zip: ZipMembers, reader: XmlHandler & { take(): T[] }): AsyncGenerator<T> {
  const xml = openXml(reader)
  for await (const piece of zip.chunks(CONTENT)) {
    xml.write(piece)
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
  readonly #tables: { rows: string[][]; cell: string[] }[] = []
  readonly #links: { from: number; url: string | undefined }[] = []
  #lists = 0
  #slide = 0
  #unshown = 0

  take(): Unit[] {
    return this.#done.splice(0)
  }

  open(name: string, attributes: Attributes): void {
    if (UNSHOWN.has(name)) this.#unshown += 1
    const paragraph = this.#open.at(-1)
    if (name === 'page') this.#slide += 1
    else if (name === 'p' || name === 'h')
      this.#open.push({
        level: name === 'h' ? Number(attribute(attributes, 'outline-level') ?? 1) : undefined,
        text: '',
      })
    else if (name === 'list') this.#lists += 1
    else if (name === 'table') this.#tables.push({ rows: [], cell: [] })
    else if (name === 'table-row') this.#tables.at(-1)?.rows.push([])
    else if (name === 'table-cell' && this.#tables.length > 0) this.#tables.at(-1)!.cell = []
    else if (!paragraph) return
    else if (name === 's') paragraph.text += ' '
    else if (name === 'tab') paragraph.text += ' '
    else if (name === 'line-break') paragraph.text += '\n'
    else if (name === 'a') this.#links.push({ from: paragraph.text.length, url: attribute(attributes, 'href') })
  }

  text(text: string): void {
    const paragraph = this.#open.at(-1)
    if (paragraph && this.#unshown === 0) paragraph.text += text.replace(/\s+/g, ' ')
  }

  close(name: string): void {
    if (UNSHOWN.has(name)) this.#unshown -= 1
    else if (name === 'p' || name === 'h') this.#end(this.#open.pop())
    else if (name === 'list') this.#lists -= 1
    else if (name === 'table-cell') {
      const table = this.#tables.at(-1)
      table?.rows.at(-1)?.push(table.cell.join(' '))
    } else if (name === 'table') {
      const table = markdownTable(this.#tables.pop()?.rows ?? [])
      if (table !== '') this.#tell(table)
    } else if (name === 'a') {
      const [link, paragraph] = [this.#links.pop(), this.#open.at(-1)]
      if (link && paragraph)
        paragraph.text = paragraph.text.slice(0, link.from) + markdownLink(paragraph.text.slice(link.from), link.url)
    }
  }

  #end(paragraph: Paragraph | undefined): void {
    const said = paragraph?.text.trim()
    if (!said || this.#unshown > 0) return
    if (paragraph?.level !== undefined) this.#tell(markdownHeading(paragraph.level, said))
    else if (this.#lists > 0 && this.#tables.length === 0)
      this.#tell(`${'  '.repeat(this.#lists - 1)}- ${oneLine(said)}`)
    else this.#tell(said)
  }

  #tell(text: string): void {
    const table = this.#tables.at(-1)
    if (table) table.cell.push(text)
    else this.#done.push({ text, ...(this.#slide > 0 && { locator: `slide ${this.#slide}` }) })
  }
}

/** What tracked changes deleted, and what stands beside the text. */
const UNSHOWN = new Set(['tracked-changes', 'header', 'footer', 'note-citation', 'page-number'])
/** Copies of a cell or a row that are read; empty ones are repeated to the end of a sheet. */
const REPEATED_MAX = 1_000

class SheetsReader implements XmlHandler {
  readonly #done: { sheet: string; row: SheetRow }[] = []
  #sheet = ''
  #row = 0
  #rowTimes = 1
  #column = 0
  #cells = new Map<number, Value>()
  #cell: { times: number; value: Value | undefined; text: string } | undefined

  take(): { sheet: string; row: SheetRow }[] {
    return this.#done.splice(0)
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'table') [this.#sheet, this.#row] = [attribute(attributes, 'name') ?? '', 0]
    else if (name === 'table-row') {
      this.#rowTimes = Number(attribute(attributes, 'number-rows-repeated') ?? 1) || 1
      this.#column = 0
      this.#cells = new Map()
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      const times = Number(attribute(attributes, 'number-columns-repeated') ?? 1) || 1
      this.#cell = { times, value: cellValue(attributes), text: '' }
    } else if (name === 'p' && this.#cell && this.#cell.text !== '') this.#cell.text += '\n'
  }

  text(text: string): void {
    if (this.#cell) this.#cell.text += text
  }

  close(name: string): void {
    if ((name === 'table-cell' || name === 'covered-table-cell') && this.#cell) {
      const { times, value, text } = this.#cell
      const told = value ?? text.trim()
      if (told !== '')
        for (let at = 0; at < Math.min(times, REPEATED_MAX); at += 1) this.#cells.set(this.#column + at, told)
      this.#column += times
      this.#cell = undefined
    } else if (name === 'table-row') {
      const times = this.#cells.size > 0 ? Math.min(this.#rowTimes, REPEATED_MAX) : 0
      for (let at = 1; at <= times; at += 1)
        this.#done.push({ sheet: this.#sheet, row: { row: this.#row + at, cells: this.#cells } })
      this.#row += this.#rowTimes
    }
  }
}

function cellValue(attributes: Attributes): Value | undefined {
  const type = attribute(attributes, 'value-type')
  const value = attribute(attributes, 'value')
  if (value !== undefined && Number.isFinite(Number(value))) return Number(value)
  if (type === 'date') {
    const day = attribute(attributes, 'date-value') ?? ''
    return day.length > 'YYYY-MM-DD'.length ? `${day.slice(0, 'YYYY-MM-DDTHH:MM:SS'.length)}Z` : day
  }
  return type === 'boolean' ? attribute(attributes, 'boolean-value') === 'true' : undefined
}
