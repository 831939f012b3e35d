// Small valid documents in every supported format, which the generator mutates.
import { zipOf } from '../../bench/zip.mjs'

const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const SAID = 'The night ferry leaves the quay at 23:40.'

/** @param {Record<string, string | Buffer>} files */
export const packed = (files) => zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))

/**
 * Returns a PDF with these objects. The first one is its catalog.
 * @param {readonly (string | Buffer)[]} objects
 */
export function pdfOf(objects) {
  const parts = [Buffer.from('%PDF-1.4\n')]
  const places = []
  let size = parts[0]?.length ?? 0
  const add = (/** @type {string | Buffer} */ content) => {
    const bytes = Buffer.from(content)
    parts.push(bytes)
    size += bytes.length
  }
  for (const [at, content] of objects.entries()) {
    places.push(size)
    add(`${at + 1} 0 obj\n`)
    add(content)
    add('\nendobj\n')
  }
  const start = size
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`)
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`)
  return Buffer.concat(parts)
}

/**
 * Returns a PDF stream object.
 * @param {Buffer} bytes
 * @param {string} [entries]
 */
export function pdfStream(bytes, entries = '') {
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${entries} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}

/**
 * Returns a PDF that lists its page `kids` times. The page has this stream as its content.
 * @param {Buffer} content
 * @param {{ kids?: number, resources?: string, others?: (string | Buffer)[] }} [more]
 */
export function pageOf(content, { kids = 1, resources = '', others = [] } = {}) {
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${kids} /Kids [${'3 0 R '.repeat(kids)}] >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R ' +
      `/Resources << /Font << /F1 4 0 R >> ${resources} >> >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    content,
    ...others,
  ])
}

/** @param {string} body @param {string} [before] */
export const docxOf = (body, before = '') =>
  packed({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `${before}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
  })

/**
 * Returns a workbook with these sheets. Each entry of `parts` is the name of a part.
 * @param {readonly string[]} parts
 * @param {Record<string, string | Buffer>} files
 */
export function xlsxOf(parts, files) {
  const sheets = parts.map((_, at) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="r${at}"/>`).join('')
  const related = parts.map((part, at) => `<Relationship Id="r${at}" Type="${REL}/worksheet" Target="${part}"/>`)
  const strings = `<Relationship Id="st" Type="${REL}/sharedStrings" Target="strings.xml"/>`
  return packed({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="${REL}"><sheets>${sheets}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${related.join('')}${strings}</Relationships>`,
    ...files,
  })
}

/**
 * Returns a presentation that lists its only slide `times` times.
 * @param {number} times
 */
export const pptxOf = (times) =>
  packed({
    '[Content_Types].xml': '<Types/>',
    'ppt/presentation.xml': `<p xmlns:r="${REL}">${'<p:sldId r:id="r1"/>'.repeat(times)}</p>`,
    'ppt/_rels/presentation.xml.rels':
      `<Relationships><Relationship Id="r1" Type="${REL}/slide" ` + 'Target="slides/s1.xml"/></Relationships>',
    'ppt/slides/s1.xml': `<p:sld><p:sp><a:p><a:r><a:t>${SAID}</a:t></a:r></a:p></p:sp></p:sld>`,
  })

/**
 * Returns a book that lists its only chapter `times` times.
 * @param {number} times
 */
export const epubOf = (times) =>
  packed({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf':
      '<package><manifest><item id="c" href="c.xhtml"/></manifest>' +
      `<spine>${'<itemref idref="c"/>'.repeat(times)}</spine></package>`,
    'c.xhtml': `<html><body><p>${SAID}</p></body></html>`,
  })

/** @param {'text' | 'spreadsheet' | 'presentation'} kind @param {string} content */
export const openDocumentOf = (kind, content) =>
  packed({ mimetype: `application/vnd.oasis.opendocument.${kind}`, 'content.xml': `<o>${content}</o>` })

const EVENT =
  'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260301T090000Z\r\n' +
  `SUMMARY:${SAID}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`
const MAIL =
  'From: a@x.example\r\nMessage-ID: <m@x>\r\nSubject: Ferry\r\nMIME-Version: 1.0\r\n' +
  `Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\n${SAID}\r\n` +
  '--b\r\nContent-Type: text/csv; name="a.csv"\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n' +
  'a,b\r\n1,2\r\n--b--\r\n'

/** Valid documents by file name. @type {Readonly<Record<string, Buffer>>} */
export const VALID = Object.fromEntries(
  Object.entries({
    'a.pdf': pageOf(pdfStream(Buffer.from(`BT /F1 12 Tf 72 700 Td (${SAID}) Tj ET`))),
    'a.docx': docxOf(`<w:p><w:r><w:t>${SAID}</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>`),
    'a.xlsx': xlsxOf(['s.xml'], {
      'xl/strings.xml': '<sst><si><t>Berth</t></si><si><t>Price</t></si></sst>',
      'xl/s.xml':
        '<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>' +
        '<row><c><v>1</v></c><c><v>40</v></c></row></sheetData></worksheet>',
    }),
    'a.pptx': pptxOf(1),
    'a.epub': epubOf(1),
    'a.odt': openDocumentOf('text', `<text:p>${SAID}</text:p>`),
    'a.odp': openDocumentOf('presentation', `<draw:page><text:p>${SAID}</text:p></draw:page>`),
    'a.ods': openDocumentOf(
      'spreadsheet',
      '<table:table table:name="T"><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>' +
        '</table:table-row></table:table>',
    ),
    'a.rtf': `{\\rtf1\\ansi\\ansicpg1252{\\info{\\title T}}${SAID} \\'e9\\u8212?\\par}`,
    'a.html': `<!doctype html><html><head><title>T</title></head><body><table><tr><td>${SAID}</td></tr></table>`,
    'a.ics': EVENT,
    'a.vcf': 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana Lima\r\nEMAIL:ana@x.example\r\nEND:VCARD\r\n',
    'a.eml': MAIL,
    'a.csv': 'Berth,Price\nNorth,40\nSouth,30\n',
    'a.json': JSON.stringify([{ id: 1, said: SAID }]),
    'a.ndjson': `${JSON.stringify({ id: 1, said: SAID })}\n${JSON.stringify({ id: 2, said: SAID })}\n`,
    'a.ipynb': JSON.stringify({ nbformat: 4, cells: [{ cell_type: 'markdown', source: [SAID] }] }),
    'a.yaml': `- id: 1\n  said: "${SAID}"\n- {id: 2, said: [a, b]}\n`,
    'a.md': `---\ntags: [a, b]\n---\n# Ferry\n\n${SAID} See [[Quay]].\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n`,
    'a.rst': `Ferry\n=====\n\n${SAID}\n`,
    'a.adoc': `= Ferry\n\n${SAID}\n`,
    'a.org': `* Ferry\n${SAID}\n`,
    'a.py': 'print("quay")\n',
    'a.txt': SAID,
    'a.zip': packed({ 'in.csv': 'a,b\n1,2\n', 'in.html': `<html><body>${SAID}</body></html>` }),
  }).map(([name, content]) => [name, Buffer.from(content)]),
)
