import { zipOf } from './zip.ts'

const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const RELATIONSHIPS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

/** A line of text on a page. Coordinates are points from the left and the lower edge. */
interface PdfLine {
  text: string
  x?: number
  y: number
  size?: number
  /** True if the text runs upward. */
  isTurned?: boolean
}

/** A filled rectangle: x and y of its lower left corner, width, height. */
interface PdfRect {
  rect: readonly [number, number, number, number]
}

/** Returns the rules of a table at these coordinates, as a thin rectangle for each side of a cell. */
export function ruled(xs: readonly number[], ys: readonly number[]): PdfRect[] {
  const across = ys.flatMap((y) => xs.slice(1).map((x, at): PdfRect => ({ rect: [xs[at]!, y, x - xs[at]!, 1] })))
  const down = xs.flatMap((x) => ys.slice(1).map((y, at): PdfRect => ({ rect: [x, y, 1, ys[at]! - y] })))
  return [...across, ...down]
}

/** Returns a minimal PDF with these pages. */
export function pdfOf(pages: readonly (readonly (PdfLine | PdfRect)[])[], info = ''): Buffer {
  const objects: string[] = []
  const add = (content: string) => objects.push(content)
  add('<< /Type /Catalog /Pages 2 0 R >>')
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')}] >>`)
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>')
  for (const [at, lines] of pages.entries()) {
    const shown = lines.map((line) => {
      if ('rect' in line) return `${line.rect.join(' ')} re f`
      const { text, x = 72, y, size = 10, isTurned } = line
      const turn = isTurned ? '0 1 -1 0' : '1 0 0 1'
      return `BT /F1 ${size} Tf ${turn} ${x} ${y} Tm (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`
    })
    const stream = shown.join('\n')
    const resources = '/Resources << /Font << /F1 3 0 R >> >>'
    add(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents ${5 + 2 * at} 0 R >>`)
    add(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)
  }
  if (info) add(`<< ${info} >>`)
  let file = '%PDF-1.4\n'
  const places = objects.map((content, at) => {
    const place = file.length
    file += `${at + 1} 0 obj\n${content}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `/Size ${objects.length + 1} /Root 1 0 R${info ? ` /Info ${objects.length} 0 R` : ''}`
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  file += `trailer\n<< ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`
  return Buffer.from(file, 'latin1')
}

/** Returns lines of text below each other. */
export function lines(texts: readonly string[], { x = 72, top = 700, size = 10 } = {}): PdfLine[] {
  return texts.map((text, at) => ({ text, x, y: top - at * size * 1.2, size }))
}

/** Returns a DOCX with this body and additional parts. */
export function docxOf(body: string, others: Record<string, string> = {}): Buffer {
  return packed({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `<w:document ${W} xmlns:r="${REL}"><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `<w:styles ${W}><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'docProps/core.xml':
      '<p xmlns:dc="d" xmlns:t="t"><dc:title>The plan</dc:title><dc:creator>Ana Lima</dc:creator>' +
      '<t:created>2026-03-01T09:00:00Z</t:created></p>',
    ...others,
  })
}

/** Returns a paragraph of a DOCX. */
export function paragraph(text: string, properties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
}

/** Returns a workbook with these sheets, given as rows of cell XML. */
export function xlsxOf(sheets: Record<string, readonly string[]>, others: Record<string, string> = {}): Buffer {
  const names = Object.keys(sheets)
  const listed = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at + 1}"/>`)
  const related = names.map(
    (_, at) => `<Relationship Id="r${at + 1}" Type="${REL}/worksheet" Target="worksheets/s${at + 1}.xml"/>`,
  )
  related.push(`<Relationship Id="st" Type="${REL}/styles" Target="styles.xml"/>`)
  return packed({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="${REL}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships ${RELATIONSHIPS}>${related.join('')}</Relationships>`,
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    ...Object.fromEntries(
      Object.values(sheets).map((rows, at) => [
        `xl/worksheets/s${at + 1}.xml`,
        `<worksheet><sheetData>${rows.map((cells) => `<row>${cells}</row>`).join('')}</sheetData></worksheet>`,
      ]),
    ),
    ...others,
  })
}

/** Returns the cells of a row as XML. A date is `{ days }`. */
export function cells(...values: readonly (string | number | { days: number } | null)[]): string {
  return values
    .map((value) => {
      if (value === null) return '<c/>'
      if (typeof value === 'string') return `<c t="inlineStr"><is><t>${value}</t></is></c>`
      return typeof value === 'number' ? `<c><v>${value}</v></c>` : `<c s="1"><v>${value.days}</v></c>`
    })
    .join('')
}

/** A slide of a presentation. `table` contains table rows as XML. */
interface Slide {
  title: string
  lines: readonly string[]
  notes?: string
  table?: string
}

/** Returns a presentation with these slides. */
export function pptxOf(slides: readonly Slide[]): Buffer {
  const ids = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="r${at + 1}"/>`)
  const related = slides.map(
    (_, at) => `<Relationship Id="r${at + 1}" Type="${REL}/slide" Target="slides/s${at + 1}.xml"/>`,
  )
  const texts = (said: readonly string[]) => said.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join('')
  const shape = (type: string, said: readonly string[]) =>
    `<p:sp><p:nvPr><p:ph type="${type}"/></p:nvPr>${texts(said)}</p:sp>`
  const files: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    'ppt/presentation.xml': `<p:presentation xmlns:r="${REL}">${ids.join('')}</p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `<Relationships>${related.join('')}</Relationships>`,
  }
  for (const [at, { title, lines: said, notes, table }] of slides.entries()) {
    const frame = table === undefined ? '' : `<p:graphicFrame><a:tbl>${table}</a:tbl></p:graphicFrame>`
    files[`ppt/slides/s${at + 1}.xml`] =
      `<p:sld>${shape('title', [title])}${shape('body', said)}${shape('sldNum', ['9'])}${frame}</p:sld>`
    if (notes === undefined) continue
    files[`ppt/slides/_rels/s${at + 1}.xml.rels`] = relationship(
      `Type="${REL}/notesSlide" Target="../notesSlides/n${at + 1}.xml"`,
    )
    files[`ppt/notesSlides/n${at + 1}.xml`] = `<p:notes>${shape('body', [notes])}</p:notes>`
  }
  return packed(files)
}

function relationship(attributes: string): string {
  return `<Relationships><Relationship Id="n" ${attributes}/></Relationships>`
}

function packed(files: Record<string, string>): Buffer {
  return zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))
}
