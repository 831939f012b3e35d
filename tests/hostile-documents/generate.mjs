// Generates hostile documents from a seed: deep nesting, bombs, repeated parts, huge counts, broken files.
import { deflateSync, gzipSync } from 'node:zlib'
import { docxOf, epubOf, openDocumentOf, packed, pageOf, pdfOf, pdfStream, pptxOf, VALID, xlsxOf } from './valid.mjs'

const MIB = 1024 * 1024
/** @typedef {() => number} Random */
/** @typedef {{ name: string, bytes: Buffer }} Document */

/** @template T @param {Random} random @param {readonly T[]} list @returns {T} */
const pick = (random, list) => /** @type {T} */ (list[Math.floor(random() * list.length)])
/**
 * Returns an integer between the two, drawn log-uniformly: small magnitudes are as likely as large ones.
 * @param {Random} random
 * @param {number} least
 * @param {number} most
 */
const between = (random, least, most) => Math.floor(least * (most / least) ** random())

/** Cache of the large inputs by key, so that each is generated only once. @type {Map<string, Buffer>} */
const made = new Map()
/** @param {string} key @param {() => Buffer} make @returns {Buffer} */
function once(key, make) {
  const bytes = made.get(key) ?? make()
  made.set(key, bytes)
  return bytes
}
/** @param {string} text @param {number} mib */
const repeated = (text, mib) => Buffer.from(text.repeat(Math.ceil((mib * MIB) / text.length)))

/** @param {string} open @param {string} inner @param {string} close @param {number} depth */
const nested = (open, inner, close, depth) => open.repeat(depth) + inner + close.repeat(depth)

const MAIL = 'From: a@x.example\r\nMessage-ID: <h@x>\r\nMIME-Version: 1.0\r\n'
const ATTACHED = '--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx\r\n'

/** @param {number} count */
function rowsRepeated(count) {
  const cell = `<table:table-cell table:number-columns-repeated="${count}"><text:p>x</text:p></table:table-cell>`
  return `<table:table-row table:number-rows-repeated="${count}">${cell}</table:table-row>`
}

/** @param {string} key @param {number} at */
function laughs(key, at) {
  return `${key}: &${key} [${`*${'abcdefghi'[at]},`.repeat(9)}]`
}

/** Kinds of hostile documents. @type {Record<string, (random: Random) => Document>} */
const KINDS = {
  nesting: (random) => {
    const depth = between(random, 50, 100_000)
    /** @type {Record<string, () => string | Buffer>} */
    const files = {
      'deep.yaml': () =>
        pick(random, [nested('[', '', '', depth), nested('- ', 'x', '', depth), nested('{a: ', '1', '}', depth)]),
      'steps.yaml': () => Array.from({ length: Math.min(depth, 1_500) }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      'deep.json': () => nested('[', '1', ']', depth),
      'deep.ipynb': () => `{"nbformat":4,"cells":${nested('[', '', ']', depth)}}`,
      'deep.html': () => `<!doctype html><html><body>${nested('<div>', 'deep', '</div>', depth)}`,
      'lists.html': () => `<!doctype html><html><body>${nested('<ul><li>', 'deep', '', depth)}`,
      'deep.docx': () => docxOf(nested('<w:tbl><w:tr><w:tc>', '<w:p/>', '</w:tc></w:tr></w:tbl>', depth)),
      'deep.odt': () => openDocumentOf('text', nested('<text:list><text:p>', 'x', '</text:p></text:list>', depth)),
      'deep.rtf': () => `{\\rtf1${nested('{', 'deep', '}', depth)}}`,
      'deep.md': () => nested('> - ', 'deep', '', depth),
      'matter.md': () => `---\na: ${nested('[', '', '', Math.min(depth, 30_000))}\n---\nText`,
      'deep.pdf': () => pdfOf([`<< /Type /Catalog /Pages ${nested('[', '', ']', depth)} >>`]),
      'deep.eml': () =>
        `${MAIL}${'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'.repeat(Math.min(depth, 20_000))}`,
    }
    return drawn(random, files)
  },
  bomb: (random) => {
    const mib = pick(random, [40, 60, 120, 300])
    const filler = pick(random, ['\n', '\0', 'a ', '- a\n', ',', '[', '{"a":1}\n', '<b>', 'x\t'])
    const ending = pick(random, [
      'rst',
      'ics',
      'csv',
      'yaml',
      'json',
      'ndjson',
      'vcf',
      'org',
      'adoc',
      'html',
      'txt',
      'py',
      'tsv',
    ])
    const zipped = (/** @type {string} */ text) =>
      once(`${text} ${mib}`, () => packed({ [`b.${ending}`]: repeated(text, mib) }))
    /** @type {Record<string, () => Buffer>} */
    const files = {
      [`bomb.${ending}.gz`]: () => once(`gz ${filler} ${mib}`, () => gzipSync(repeated(filler, mib), { level: 1 })),
      [`bomb.${ending}`]: () => once(`gz ${filler} ${mib}`, () => gzipSync(repeated(filler, mib), { level: 1 })),
      'zips.zip': () => packed(Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`${at}.zip`, zipped(filler)]))),
      'gz.gz': () => once(`gz2 ${mib}`, () => gzipSync(gzipSync(Buffer.alloc(mib * MIB), { level: 1 }))),
      'bomb.docx': () =>
        once(`docx ${mib}`, () => docxOf(`<w:p><w:r><w:t>${'a '.repeat((mib * MIB) / 2)}</w:t></w:r></w:p>`)),
      'strings.xlsx': () =>
        once(`si ${mib}`, () =>
          xlsxOf(['s.xml'], { 'xl/strings.xml': `<sst>${'<si/>'.repeat((mib * MIB) / 5)}</sst>`, 'xl/s.xml': '' }),
        ),
      'rows.xlsx': () =>
        once(`rows ${mib}`, () =>
          xlsxOf(['s.xml'], {
            'xl/strings.xml': '',
            'xl/s.xml': `<sheetData>${'<row><c><v>1</v></c></row>'.repeat(mib * 40_000)}</sheetData>`,
          }),
        ),
      'bomb.pdf': () => flatePdf(mib, 1 + Math.floor(random() * 3)),
      'bomb.odt': () =>
        once(`odt ${mib}`, () => openDocumentOf('text', `<text:p>${'a '.repeat((mib * MIB) / 2)}</text:p>`)),
    }
    return drawn(random, files)
  },
  repeated: (random) => {
    const times = between(random, 1_000, 300_000)
    const sheets = Array.from({ length: Math.min(times, 20_000) }, () => 's.xml')
    /** @type {Record<string, () => Buffer>} */
    const files = {
      'chapters.epub': () => epubOf(times),
      'slides.pptx': () => pptxOf(times),
      'pages.pdf': () => pageOf(pdfStream(Buffer.from('BT /F1 12 Tf 72 700 Td (Quay) Tj ET')), { kids: times }),
      'sheets.xlsx': () =>
        xlsxOf(sheets, { 'xl/strings.xml': '', 'xl/s.xml': '<sheetData><row><c><v>1</v></c></row></sheetData>' }),
      'forms.pdf': () => formsPdf(between(random, 2, 12)),
    }
    return drawn(random, files)
  },
  counts: (random) => {
    const count = between(random, 1_000, 400_000)
    /** @type {Record<string, () => string | Buffer>} */
    const files = {
      'count.pdf': () =>
        pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', `<< /Type /Pages /Count ${count}000000 /Kids [] >>`]),
      'repeat.ods': () =>
        openDocumentOf('spreadsheet', `<table:table table:name="T">${rowsRepeated(count).repeat(20)}</table:table>`),
      'far.xlsx': () =>
        xlsxOf(['s.xml'], {
          'xl/strings.xml': '',
          'xl/s.xml': `<sheetData>${'<row r="1048576"><c r="XFD1"><v>1</v></c></row>'.repeat(count / 100)}</sheetData>`,
        }),
      'wide.csv': () => `${'a,'.repeat(count)}\n${'1,'.repeat(count)}\n`,
      'keys.yaml': () => Array.from({ length: count }, (_, at) => `k${at}: ${at}`).join('\n'),
      'keys.md': () =>
        `---\n${Array.from({ length: Math.min(count, 7_000) }, (_, at) => `k${at}: 1`).join('\n')}\n---\nText`,
      'cells.ipynb': () =>
        JSON.stringify({ nbformat: 4, cells: Array.from({ length: count }, () => ({ source: 'a' })) }),
      'tags.html': () => `<!doctype html><html><body>${'<p>a<b>b'.repeat(count / 4)}`,
      'attributes.html': () =>
        `<!doctype html><html><body><p ${Array.from({ length: count }, (_, at) => `a${at}=1`).join(' ')}>`,
      'events.ics': () =>
        `BEGIN:VCALENDAR\r\n${'BEGIN:VEVENT\r\nSUMMARY:a\r\nEND:VEVENT\r\n'.repeat(count / 10)}END:VCALENDAR\r\n`,
      'phones.vcf': () => `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ana\r\n${'TEL:1\r\n'.repeat(count)}END:VCARD\r\n`,
      'parts.eml': () =>
        `${MAIL}Content-Type: multipart/mixed; boundary=b\r\n\r\n${ATTACHED.repeat(count / 20)}--b--\r\n`,
      'anchors.yaml': () => ['a: &a [x,x]', ...[...'bcdefghij'].map(laughs)].join('\n'),
      'cjk.txt': () => '港口的渡船在夜里离开'.repeat(count / 10),
      'line.txt': () => 'a'.repeat(count * 10),
      'rules.rst': () => '====\n'.repeat(count),
      'members.zip': () =>
        packed(
          Object.fromEntries(
            Array.from({ length: Math.min(8_000, count / 10) }, (_, at) => [`f${at}.csv`, 'a,b\n1,2\n']),
          ),
        ),
      'runs.rtf': () => `{\\rtf1 ${"\\'e9\\u8212?".repeat(count)}}`,
    }
    return drawn(random, files)
  },
  truncated: (random) => {
    const name = pick(random, Object.keys(VALID))
    const bytes = /** @type {Buffer} */ (VALID[name])
    return { name: `cut-${name}`, bytes: bytes.subarray(0, Math.floor(bytes.length * random())) }
  },
  mutated: (random) => {
    const name = pick(random, Object.keys(VALID))
    /** @type {Buffer} */
    let bytes = Buffer.from(/** @type {Buffer} */ (VALID[name]))
    for (let times = between(random, 1, 40); times > 0; times -= 1) bytes = mutated(random, bytes)
    return { name: `mutated-${name}`, bytes }
  },
  random: (random) => {
    const ending = pick(random, Object.keys(VALID)).slice(2)
    const bytes = Buffer.from(Array.from({ length: between(random, 1, 300_000) }, () => Math.floor(random() * 256)))
    const head = /** @type {Buffer} */ (VALID[`a.${ending}`]).subarray(0, pick(random, [0, 8, 60]))
    return { name: `random.${ending}`, bytes: Buffer.concat([head, bytes]) }
  },
}

/** @param {Random} random @param {Record<string, () => string | Buffer>} files @returns {Document} */
function drawn(random, files) {
  const name = pick(random, Object.keys(files))
  return { name, bytes: Buffer.from(files[name]?.() ?? '') }
}

/**
 * Returns a PDF whose page content expands to `mib` MiB through `filters` nested filters.
 * @param {number} mib
 * @param {number} filters
 */
export function flatePdf(mib, filters) {
  const content = once(`flate ${mib} ${filters}`, () => {
    /** @type {Buffer} */
    let bytes = Buffer.alloc(mib * MIB, ' ')
    for (let at = 0; at < filters; at += 1) bytes = deflateSync(bytes, { level: at === 0 ? 1 : 9 })
    return bytes
  })
  return pageOf(pdfStream(content, `/Filter [${'/FlateDecode '.repeat(filters)}]`))
}

/** Returns a PDF with nested forms: each draws the next one ten times, `levels` deep. @param {number} levels */
export function formsPdf(levels) {
  const form = (/** @type {number} */ at) => {
    const shown = at < levels ? '/X Do '.repeat(10) : 'BT /F1 1 Tf (x) Tj ET'
    const used = `/Font << /F1 4 0 R >> /XObject << /X ${6 + at} 0 R >>`
    const entries = `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${used} >>`
    return pdfStream(Buffer.from(shown), entries)
  }
  const others = Array.from({ length: levels }, (_, at) => form(at + 1))
  return pageOf(pdfStream(Buffer.from('/X Do '.repeat(10))), { resources: '/XObject << /X 6 0 R >>', others })
}

/** @param {Random} random @param {Buffer} bytes @returns {Buffer} */
function mutated(random, bytes) {
  if (bytes.length === 0) return bytes
  const at = Math.floor(random() * bytes.length)
  const end = Math.min(bytes.length, at + between(random, 1, 64))
  const noise = Buffer.from(Array.from({ length: end - at }, () => Math.floor(random() * 256)))
  return pick(random, [
    () => Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(end)]),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]),
    () => Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]),
    () => Buffer.from(bytes.map((byte, place) => (place === at ? byte ^ (1 << Math.floor(random() * 8)) : byte))),
  ])()
}

/**
 * Yields `count` hostile documents, cycling through all kinds.
 * @param {number} count
 * @param {Random} random
 * @returns {Generator<Document & { kind: string }>}
 */
export function* hostileDocuments(count, random) {
  const kinds = Object.keys(KINDS)
  for (let at = 0; at < count; at += 1) {
    const kind = kinds[at % kinds.length] ?? ''
    const { name, bytes } = /** @type {(random: Random) => Document} */ (KINDS[kind])(random)
    yield { kind, name: `${at}/${name}`, bytes }
  }
}
