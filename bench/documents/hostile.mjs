// Files crafted to harm a parser: decompression bombs, loops, broken tables, excessive sizes.
import { gzipSync } from 'node:zlib'
import { zipOf } from '../zip.mjs'

const MIB = 1024 * 1024
/** Nesting depth that overflows any unbounded stack. */
const DEEP = 200_000
const SHEETS = 10_000
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** @param {string} text @param {number} times */
const many = (text, times) => text.repeat(times)
/** @param {Record<string, string | Buffer>} files */
const packed = (files) => zipOf(Object.entries(files).map(([name, content]) => ({ name, content })))

/** @param {string} body @param {string} [before] */
function docx(body, before = '') {
  return packed({
    '[Content_Types].xml': '<Types/>',
    'word/document.xml': `${before}<w:document ${W}><w:body>${body}</w:body></w:document>`,
  })
}

/** @param {string[]} sheets @param {Record<string, string>} [others] */
function xlsx(sheets, others = {}) {
  const named = sheets.map((_, at) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="r${at}"/>`).join('')
  const related = sheets
    .map((_, at) => `<Relationship Id="r${at}" Type="${REL}/worksheet" Target="worksheets/s${at}.xml"/>`)
    .join('')
  return packed({
    '[Content_Types].xml': '<Types/>',
    'xl/workbook.xml': `<workbook xmlns:r="${REL}"><sheets>${named}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${related}</Relationships>`,
    ...Object.fromEntries(sheets.map((xml, at) => [`xl/worksheets/s${at}.xml`, `<worksheet>${xml}</worksheet>`])),
    ...others,
  })
}

/** Returns a PDF of these objects. @param {string[]} objects @param {string} [trailer] */
export function pdf(objects, trailer = '') {
  let file = '%PDF-1.4\n'
  const places = objects.map((content, at) => {
    const place = file.length
    file += `${at + 1} 0 obj\n${content}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const start = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`
  return `${file}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`
}

/** @param {string} content @param {string} [resources] */
function onePage(content, resources = '') {
  return pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R ' +
      `/Resources << /Font << /F1 4 0 R >> ${resources} >> >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ])
}

const LAUGHS = `<!DOCTYPE x [<!ENTITY a "${many('ha', 50)}">${[...'bcdefghij']
  .map((name, at) => `<!ENTITY ${name} "${many(`&${'abcdefghi'[at]};`, 10)}">`)
  .join('')}]>`
const OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'

function yamlLaughs() {
  const names = [...'abcdefghijklmnopqrstuvwxyz']
  const lines = names.slice(1).map((name, at) => `${name}: &${name} [*${names[at]},*${names[at]}]`)
  return ['a: &a [x,x]', ...lines, ''].join('\n')
}

/** Returns nested zips of this depth. @param {number} depth */
function nested(depth) {
  let inner = Buffer.from('The innermost text.')
  for (let at = 0; at < depth; at += 1) inner = zipOf([{ name: at === 0 ? 'a.txt' : 'a.zip', content: inner }])
  return inner
}

/** @returns {{ name: string, bytes: Buffer }[]} */
export function hostileFiles() {
  const whole = onePage('BT /F1 12 Tf 72 700 Td (A quiet page.) Tj ET')
  /** @type {Record<string, string | Buffer>} */
  const files = {
    'zip-bomb.zip': packed({ 'zeros.txt': Buffer.alloc(200 * MIB) }),
    'zip-nested.zip': nested(40),
    'zip-of-many.zip': packed(
      Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`f${at}.txt`, `Text ${at}.`])),
    ),
    'zip-cut.zip': packed({ 'a.txt': 'The quay.' }).subarray(0, 60),
    'gzip-bomb.gz': gzipSync(Buffer.alloc(300 * MIB)),
    'gzip-cut.gz': gzipSync(Buffer.from(many('The quay. ', 10_000))).subarray(0, 50),
    'docx-bomb.docx': docx(`<w:p><w:r><w:t>${many('a ', 100 * MIB)}</w:t></w:r></w:p>`),
    'docx-laughs.docx': docx('<w:p><w:r><w:t>&j;</w:t></w:r></w:p>', LAUGHS),
    'docx-outside.docx': docx('<w:p><w:r><w:t>&a;</w:t></w:r></w:p>', OUTSIDE),
    'docx-deep.docx': docx(many('<w:tbl><w:tr><w:tc>', DEEP)),
    'docx-open.docx': docx(many('<w:p><w:r><w:t>open', DEEP)),
    'docx-attributes.docx': docx(`<w:p ${Array.from({ length: DEEP }, (_, at) => `a${at}="1"`).join(' ')}/>`),
    'docx-cells.docx': docx(`<w:tbl><w:tr>${many('<w:tc><w:p/></w:tc>', DEEP)}</w:tr></w:tbl>`),
    'docx-empty.docx': packed({ 'word/document.xml': '' }),
    'xlsx-sheets.xlsx': xlsx(Array.from({ length: SHEETS }, () => '<sheetData><row><c><v>1</v></c></row></sheetData>')),
    'xlsx-far-cell.xlsx': xlsx(['<sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>']),
    'xlsx-wide.xlsx': xlsx([`<sheetData><row>${many('<c><v>7</v></c>', DEEP)}</row></sheetData>`]),
    'xlsx-laughs.xlsx': xlsx(['<sheetData><row><c t="s"><v>0</v></c></row></sheetData>'], {
      'xl/sharedStrings.xml': `${LAUGHS}<sst><si><t>&j;</t></si></sst>`,
    }),
    'xlsx-far-string.xlsx': xlsx(['<sheetData><row><c t="s"><v>99999999999</v></c></row></sheetData>'], {
      'xl/sharedStrings.xml': '<sst><si><t>a</t></si></sst>',
    }),
    'pptx-loop.pptx': packed({
      'ppt/presentation.xml': `<p xmlns:r="${REL}">${many('<p:sldId r:id="r1"/>', 20_000)}</p>`,
      'ppt/_rels/presentation.xml.rels':
        `<Relationships><Relationship Id="r1" Type="${REL}/slide" ` + 'Target="presentation.xml"/></Relationships>',
    }),
    'odt-repeated.ods': packed({
      mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
      'content.xml':
        '<o><table:table table:name="T"><table:table-row table:number-rows-repeated="1000000000">' +
        '<table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell>' +
        '</table:table-row></table:table></o>',
    }),
    'epub-loop.epub': packed({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml':
        '<container><rootfiles><rootfile full-path="META-INF/container.xml"/></rootfiles></container>',
    }),
    'pdf-cut.pdf': whole.slice(0, whole.length / 2),
    'pdf-no-table.pdf': whole.replace(/xref[\s\S]*trailer/, 'trailer'),
    'pdf-wrong-table.pdf': whole.replace(/\d{10} 00000 n/g, '9999999999 00000 n'),
    'pdf-table-loop.pdf': whole.replace('/Root 1 0 R', `/Root 1 0 R /Prev ${whole.indexOf('xref')}`),
    'pdf-page-loop.pdf': pdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>']),
    'pdf-page-count.pdf': pdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 2000000000 /Kids [] >>']),
    'pdf-form-loop.pdf': onePage('/X Do', '/XObject << /X 5 0 R >>'),
    'pdf-nested-arrays.pdf': pdf([`<< /Type /Catalog /Pages ${many('[', DEEP)} >>`]),
    'pdf-many-signs.pdf': onePage(many('BT /F1 1 Tf 1 1 Td (x) Tj ET\n', DEEP)),
    'pdf-long-string.pdf': onePage(`BT /F1 12 Tf (${many('x', 20 * MIB)}) Tj ET`),
    'html-deep.html': `<!doctype html><html><body>${many('<div>', DEEP)}deep`,
    'html-table.html': `<!doctype html><html><body><table>${many('<tr><td>', DEEP)}`,
    'html-script.html': `<!doctype html><html><body><script>${many('for(;;){}', 100_000)}</script><p>Quay.`,
    'json-deep.json': many('[', DEEP) + many(']', DEEP),
    'yaml-laughs.yaml': yamlLaughs(),
    'csv-quote.csv': `a,b\n"${many('never closed,\n', DEEP)}`,
    'rtf-deep.rtf': `{\\rtf1${many('{', DEEP)}deep`,
    'ics-rule.ics':
      'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:00010101T000000Z\r\nRRULE:FREQ=SECONDLY\r\n' +
      'SUMMARY:Ever\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
    'eml-parts.eml':
      'From: a@x.example\r\nMessage-ID: <h@x>\r\nMIME-Version: 1.0\r\n' +
      many('Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n', 20_000),
    'vcf-lines.vcf': `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana\r\n${many('TEL:1\r\n', DEEP)}END:VCARD\r\n`,
    'text-one-line.txt': many('a', 30 * MIB),
    'rst-rules.rst': many('====\n', DEEP),
  }
  return Object.entries(files).map(([name, content]) => ({ name, bytes: Buffer.from(content) }))
}
