import {
  type DocumentFile,
  type DocumentItem,
  markdownHeading,
  markdownLink,
  oneLine,
  partsOf,
  type Unit,
} from '../document.ts'
import { TableGrid } from '../table-grid.ts'
import { type Attributes, attribute, openXml, readXml } from '../xml.ts'
import { propertiesOf, type Relationships, relationshipsOf, type ZipMembers } from '../zip-members.ts'

const BODY = 'word/document.xml'
/** Parts of the package that contain notes and comments, with the element name of one note. */
const NOTES = [
  { part: 'word/footnotes.xml', element: 'footnote' },
  { part: 'word/endnotes.xml', element: 'endnote' },
  { part: 'word/comments.xml', element: 'comment' },
] as const

/**
 * Reads a text document: headings by style, lists, tables, links, text boxes and notes. Tracked deletions, hidden text,
 * headers and footers are left out. Comments become quotations after the paragraph to which they belong.
 */
export async function* readDocx({ zip }: { file: DocumentFile; zip: ZipMembers }): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format: 'docx', within: [], ...(await propertiesOf(zip, 'docProps/core.xml')) }
  const styles = await headingStyles(zip)
  const links = await relationshipsOf(zip, BODY)
  const notes = new Map<string, string>()
  for (const { part, element } of NOTES) {
    for (const [id, text] of await notesOf(zip, part, element)) notes.set(`${element}:${id}`, text)
  }
  yield* partsOf(paragraphsOf(zip, { styles, links, notes }))
}

/** Returns the level of each heading style, counted from 1. */
async function headingStyles(zip: ZipMembers): Promise<ReadonlyMap<string, number>> {
  const own = new Map<string, number>()
  const basedOn = new Map<string, string>()
  let style = ''
  await readXml(zip.chunks('word/styles.xml'), {
    open: (name, attributes) => {
      const value = attribute(attributes, 'val') ?? ''
      if (name === 'style') style = attribute(attributes, 'styleId') ?? ''
      else if (name === 'name' && style && !own.has(style)) {
        const level = value.toLowerCase() === 'title' ? 1 : Number(/^heading (\d)$/i.exec(value)?.[1])
        if (level) own.set(style, level)
      } else if (name === 'basedOn') basedOn.set(style, value)
      else if (name === 'outlineLvl' && Number(value) < OUTLINE_LEVELS) own.set(style, Number(value) + 1)
    },
  })
  for (const [each, other] of basedOn) {
    const inherited = own.get(other)
    if (!own.has(each) && inherited !== undefined) own.set(each, inherited)
  }
  return own
}

/** Number of outline levels. The next level is body text. */
const OUTLINE_LEVELS = 9

async function notesOf(zip: ZipMembers, part: string, element: string): Promise<Map<string, string>> {
  const notes = new Map<string, string>()
  let id = ''
  let text = ''
  let isText = false
  await readXml(zip.chunks(part), {
    open: (name, attributes) => {
      if (name === element) {
        id = attribute(attributes, 'id') ?? ''
        const author = attribute(attributes, 'author')
        text = author ? `${author}: ` : ''
      }
      isText = name === 't'
      if (name === 'p' && text !== '') text += ' '
    },
    text: (more) => {
      if (isText) text += more
    },
    close: (name) => {
      isText = false
      if (name === element && oneLine(text) !== '') notes.set(id, oneLine(text))
    },
  })
  return notes
}

interface DocxParts {
  styles: ReadonlyMap<string, number>
  links: Relationships
  notes: ReadonlyMap<string, string>
}

interface Paragraph {
  text: string
  level?: number | undefined
  listLevel?: number
  /** Comments and notes of the paragraph. They are written after it. */
  notes: string[]
}

async function* paragraphsOf(zip: ZipMembers, known: DocxParts): AsyncGenerator<Unit> {
  const body = new BodyReader(known)
  const xml = openXml(body)
  for await (const chunk of zip.chunks(BODY)) {
    xml.write(chunk)
    yield* body.take()
  }
  xml.end()
  yield* body.take()
}

const TABLE_PARTS = new Set(['tr', 'tc', 'gridSpan', 'gridBefore', 'vMerge'])

/** Opens a row or a cell of a table, or applies one of its properties. */
function openPart(table: OpenTable, name: string, value: string): void {
  if (name === 'tr') table.grid.openRow()
  else if (name === 'tc') [table.cell, table.across, table.isMerged] = [[], 1, false]
  else if (name === 'gridSpan') table.across = Number(value) || 1
  else if (name === 'gridBefore') table.grid.skip(Number(value) || 1)
  else table.isMerged = value !== 'restart'
}

/** Elements whose content is not visible: deletions, field codes and alternative content. */
const HIDDEN_ELEMENTS = new Set(['del', 'moveFrom', 'Fallback', 'instrText', 'delText'])

interface OpenTable {
  grid: TableGrid
  cell: string[]
  across: number
  /** True if the cell continues the cell above it. */
  isMerged: boolean
}

/** Reads the body as a stream of XML events. */
class BodyReader {
  readonly #known: DocxParts
  readonly #open: Paragraph[] = []
  readonly #tables: OpenTable[] = []
  readonly #done: Unit[] = []
  readonly #hyperlinks: { from: number; url: string | undefined }[] = []
  #hiddenDepth = 0
  #isText = false
  #isHidden = false

  constructor(known: DocxParts) {
    this.#known = known
  }

  take(): Unit[] {
    return this.#done.splice(0)
  }

  open(name: string, attributes: Attributes): void {
    if (HIDDEN_ELEMENTS.has(name)) this.#hiddenDepth += 1
    const paragraph = this.#open.at(-1)
    const table = this.#tables.at(-1)
    const value = attribute(attributes, 'val') ?? ''
    if (name === 'p') this.#open.push({ text: '', notes: [] })
    else if (name === 'tbl') this.#tables.push({ grid: new TableGrid(), cell: [], across: 1, isMerged: false })
    else if (table && TABLE_PARTS.has(name)) openPart(table, name, value)
    else if (name === 't') this.#isText = true
    else if (name === 'r') this.#isHidden = false
    else if (name === 'vanish') this.#isHidden = value !== '0' && value !== 'false'
    else if (!paragraph) return
    else if (name === 'pStyle') paragraph.level ??= this.#known.styles.get(value)
    else if (name === 'outlineLvl' && Number(value) < OUTLINE_LEVELS) paragraph.level = Number(value) + 1
    else if (name === 'ilvl') paragraph.listLevel = Number(value) || 0
    else if (name === 'numId' && value === '0') delete paragraph.listLevel
    else if (name === 'tab') paragraph.text += ' '
    else if (name === 'br' || name === 'cr') paragraph.text += '\n'
    else if (name === 'noBreakHyphen') paragraph.text += '-'
    else if (name === 'hyperlink') {
      const url = this.#known.links.get(attribute(attributes, 'id') ?? '')?.target
      this.#hyperlinks.push({ from: paragraph.text.length, url })
    } else if (name.endsWith('Reference')) {
      const note = this.#known.notes.get(`${name.slice(0, -'Reference'.length)}:${attribute(attributes, 'id')}`)
      if (note) paragraph.notes.push(`> ${note}`)
    }
  }

  text(text: string): void {
    const paragraph = this.#open.at(-1)
    if (paragraph && this.#isText && this.#hiddenDepth === 0 && !this.#isHidden) paragraph.text += text
  }

  close(name: string): void {
    if (HIDDEN_ELEMENTS.has(name)) this.#hiddenDepth -= 1
    if (name === 't') this.#isText = false
    else if (name === 'hyperlink') this.#endLink()
    else if (name === 'p') this.#endParagraph(this.#open.pop())
    else if (name === 'tc') {
      const table = this.#tables.at(-1)
      if (table?.isMerged) table.grid.repeatCellAbove(table.across)
      else table?.grid.cell(table.cell.join(' '), table.across)
    } else if (name === 'tbl') {
      const table = this.#tables.pop()?.grid.markdown() ?? ''
      if (table !== '') this.#emit(table)
    }
  }

  #endLink(): void {
    const link = this.#hyperlinks.pop()
    const paragraph = this.#open.at(-1)
    if (!link || !paragraph) return
    paragraph.text = paragraph.text.slice(0, link.from) + markdownLink(paragraph.text.slice(link.from), link.url)
  }

  #endParagraph(paragraph: Paragraph | undefined): void {
    if (!paragraph || this.#hiddenDepth > 0) return
    const text = paragraph.text.trim()
    const isInTable = this.#tables.length > 0
    if (text !== '') {
      if (isInTable || (paragraph.level === undefined && paragraph.listLevel === undefined)) this.#emit(text)
      else if (paragraph.level !== undefined) this.#emit(markdownHeading(paragraph.level, text))
      else this.#emit(`${'  '.repeat(paragraph.listLevel ?? 0)}- ${oneLine(text)}`)
    }
    for (const each of paragraph.notes) this.#emit(each)
  }

  /** Adds a text to the open cell of the innermost table. If no table is open, adds it to the document. */
  #emit(text: string): void {
    const table = this.#tables.at(-1)
    if (table) table.cell.push(text)
    else this.#done.push({ text })
  }
}
