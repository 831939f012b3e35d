import { type DocumentFile, type DocumentItem, markdownHeading, oneLine, partsOf, type Unit } from '../document.ts'
import { TableGrid } from '../table-grid.ts'
import { type Attributes, attribute, readXml, type XmlHandler } from '../xml.ts'
import { propertiesOf, relationshipsOf, type ZipMembers } from '../zip-members.ts'

const PRESENTATION = 'ppt/presentation.xml'

/** Reads slides in order, each with its title, texts, tables and notes. Hidden slides are included. */
export async function* readPptx({ zip }: { file: DocumentFile; zip: ZipMembers }): AsyncGenerator<DocumentItem> {
  const slides = await slidesOf(zip)
  const properties = { slides: slides.length }
  yield { kind: 'head', format: 'pptx', within: [], ...(await propertiesOf(zip, 'docProps/core.xml')), properties }
  yield* partsOf(unitsOf(zip, slides))
}

async function slidesOf(zip: ZipMembers): Promise<string[]> {
  const parts = await relationshipsOf(zip, PRESENTATION)
  // Each slide is read only once, even if it is listed several times.
  const slides = new Set<string>()
  await readXml(zip.chunks(PRESENTATION), {
    open: (name, attributes) => {
      const key = Object.keys(attributes).find((each) => each.endsWith(':id'))
      const target = name === 'sldId' && key ? parts.get(attributes[key]!)?.target : undefined
      if (target) slides.add(target)
    },
  })
  return [...slides]
}

async function* unitsOf(zip: ZipMembers, slides: readonly string[]): AsyncGenerator<Unit> {
  for (const [at, slide] of slides.entries()) {
    const slideText = new SlideReader(() => true)
    await readXml(zip.chunks(slide), slideText)
    const notes = new SlideReader((placeholder) => placeholder === 'body')
    const related = await relationshipsOf(zip, slide)
    const notesPart = [...related.values()].find(({ type }) => type === 'notesSlide')?.target
    if (notesPart) await readXml(zip.chunks(notesPart), notes)
    const blocks = [
      markdownHeading(2, slideText.title),
      ...slideText.paragraphs,
      ...notes.paragraphs.map((line) => line.replace(/^ *- /, '')),
    ]
    const text = blocks.filter((each) => each !== '').join('\n\n')
    if (text !== '') yield { text, locator: `slide ${at + 1}` }
  }
}

/** Reads a slide or its notes. A filter selects shapes by their placeholder. */
class SlideReader implements XmlHandler {
  title = ''
  readonly paragraphs: string[] = []
  readonly #isIncluded: (placeholder: string | undefined) => boolean
  #placeholder: string | undefined
  #text = ''
  #level = 0
  #isText = false
  #isNumber = false
  #table: TableGrid | undefined
  #cell: string[] = []
  #span: Attributes = {}

  constructor(isIncluded: (placeholder: string | undefined) => boolean) {
    this.#isIncluded = isIncluded
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'sp' || name === 'graphicFrame') this.#placeholder = undefined
    else if (name === 'ph') this.#placeholder = attribute(attributes, 'type') ?? 'other'
    else if (name === 'p') [this.#text, this.#level] = ['', 0]
    else if (name === 'pPr') this.#level = Number(attribute(attributes, 'lvl') ?? 0) || 0
    else if (name === 't') this.#isText = true
    else if (name === 'fld') this.#isNumber = attribute(attributes, 'type') === 'slidenum'
    else if (name === 'br') this.#text += ' '
    else if (name === 'tbl') this.#table = new TableGrid()
    else if (name === 'tr') this.#table?.openRow()
    else if (name === 'tc') [this.#cell, this.#span] = [[], attributes]
  }

  text(text: string): void {
    if (this.#isText && !this.#isNumber) this.#text += text
  }

  close(name: string): void {
    if (name === 't') this.#isText = false
    else if (name === 'fld') this.#isNumber = false
    else if (name === 'p') this.#endParagraph()
    else if (name === 'tc') this.#endCell()
    else if (name === 'tbl') {
      this.paragraphs.push(this.#table?.markdown() ?? '')
      this.#table = undefined
    }
  }

  #endCell(): void {
    const count = (key: string) => Number(attribute(this.#span, key) ?? 1) || 1
    const isCovered = ['hMerge', 'vMerge'].some((key) => ['1', 'true'].includes(attribute(this.#span, key) ?? ''))
    // The merged cell has already filled the cells that it covers.
    if (!isCovered) this.#table?.cell(this.#cell.join(' '), count('gridSpan'), count('rowSpan'))
  }

  #endParagraph(): void {
    const text = oneLine(this.#text)
    if (text === '' || BOILERPLATE_PLACEHOLDERS.has(this.#placeholder ?? '') || !this.#isIncluded(this.#placeholder))
      return
    if (this.#table) this.#cell.push(text)
    else if (this.#placeholder === 'title' || this.#placeholder === 'ctrTitle')
      this.title = `${this.title} ${text}`.trim()
    else this.paragraphs.push(`${'  '.repeat(this.#level)}- ${text}`)
  }
}

/** Placeholders with the same content on every slide. */
const BOILERPLATE_PLACEHOLDERS = new Set(['sldNum', 'dt', 'ftr', 'hdr'])
