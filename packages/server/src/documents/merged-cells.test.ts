import { expect, it } from 'vitest'
import { cells, docxOf, paragraph, pptxOf, xlsxOf } from '../../../../tests/harness/documents.ts'
import { zipOf } from '../../../../tests/harness/zip.ts'
import type { DocumentItem } from './document.ts'
import { readDocument } from './read-document.ts'

async function itemsOf(name: string, content: string | Uint8Array): Promise<DocumentItem[]> {
  const items: DocumentItem[] = []
  for await (const item of readDocument({ name, bytes: Buffer.from(content) })) items.push(item)
  return items
}

async function textOf(name: string, content: string | Uint8Array): Promise<string> {
  return (await itemsOf(name, content)).flatMap((item) => (item.kind === 'part' ? [item.text] : [])).join('\n')
}

async function rowsOf(name: string, content: string | Uint8Array) {
  return (await itemsOf(name, content)).flatMap((item) => (item.kind === 'row' ? [Object.fromEntries(item.cells)] : []))
}

/** Returns a workbook of one sheet with merged cells. */
function mergedBook(rows: readonly string[], ...regions: string[]): Buffer {
  const merges = regions.map((region) => `<mergeCell ref="${region}"/>`).join('')
  const sheet = rows.map((row) => `<row>${row}</row>`).join('')
  const xml = `<worksheet><sheetData>${sheet}</sheetData><mergeCells>${merges}</mergeCells></worksheet>`
  return xlsxOf({ Sheet: rows }, { 'xl/worksheets/s1.xml': xml })
}

function odsOf(rows: string): Buffer {
  return zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    { name: 'content.xml', content: `<o><table:table table:name="Sheet">${rows}</table:table></o>` },
  ])
}

const BERTHS = [
  { Pier: 'West', Berth: 'W1', Depth: 4 },
  { Pier: 'West', Berth: 'W2', Depth: 5 },
  { Pier: 'East', Berth: 'E1', Depth: 6 },
]

it('rows under merged cells of a workbook have the merged value', async () => {
  const rows = [cells('Pier', 'Berth', 'Depth'), cells('West', 'W1', 4), cells(null, 'W2', 5), cells('East', 'E1', 6)]
  expect(await rowsOf('a.xlsx', mergedBook(rows, 'A2:A3'))).toEqual(BERTHS)
})

it('rows under merged cells of an OpenDocument sheet have the merged value', async () => {
  const text = (said: string, more = '') => `<table:table-cell ${more}><text:p>${said}</text:p></table:table-cell>`
  const number = (value: number) => `<table:table-cell office:value-type="float" office:value="${value}"/>`
  const row = (cells: string) => `<table:table-row>${cells}</table:table-row>`
  const sheet =
    row(text('Pier') + text('Berth') + text('Depth')) +
    row(text('West', 'table:number-rows-spanned="2"') + text('W1') + number(4)) +
    row(`<table:covered-table-cell/>${text('W2')}${number(5)}`) +
    row(text('East') + text('E1') + number(6))
  expect(await rowsOf('a.ods', odsOf(sheet))).toEqual(BERTHS)
})

it('a cell merged over many columns fills the same number in OpenDocument and in a workbook', async () => {
  const text = (said: string, more = '') => `<table:table-cell ${more}><text:p>${said}</text:p></table:table-cell>`
  const row = (cells: string) => `<table:table-row>${cells}</table:table-row>`
  const names = Array.from({ length: 300 }, (_, at) => `Berth ${at + 1}`)
  const wide = 'table:number-columns-spanned="300"'
  const sheet = row(names.map((name) => text(name)).join('')) + row(text('closed', wide) + text('West'))
  const [inBook] = await rowsOf('a.xlsx', mergedBook([cells(...names), cells('closed')], 'A2:KN2'))
  expect(inBook).toMatchObject({ 'Berth 256': 'closed' })
  expect((await rowsOf('a.ods', odsOf(sheet)))[0]).toMatchObject(inBook!)
  expect((await rowsOf('a.ods', odsOf(sheet)))[0]).not.toHaveProperty('Berth 257')
})

it('a two-line header names each column by both lines, and neither line is a row', async () => {
  const named = [{ Pier: 'West', 'May Ships': 3, 'May Tons': 90, 'June Ships': 4, 'June Tons': 120 }]
  const rows = [
    cells('Traffic of the port'),
    cells('Pier', 'May', null, 'June', null),
    cells(null, 'Ships', 'Tons', 'Ships', 'Tons'),
    cells('West', 3, 90, 4, 120),
  ]
  expect(await rowsOf('a.xlsx', mergedBook(rows, 'A1:E1', 'A2:A3', 'B2:C2', 'D2:E2'))).toEqual(named)
  expect(await textOf('a.xlsx', mergedBook(rows, 'A1:E1', 'A2:A3', 'B2:C2', 'D2:E2'))).toMatch(/^Traffic of the port\n/)
  expect(await rowsOf('a.csv', 'Pier,May,,June,\n,Ships,Tons,Ships,Tons\nWest,3,90,4,120\n')).toEqual(named)
})

it('a line merged over the whole table is not a row, and a one-line header stays one line', async () => {
  const rows = [cells('Pier', 'Ships'), cells('Summer', null), cells('West', 3), cells('East', 4)]
  expect(await rowsOf('a.xlsx', mergedBook(rows, 'A2:B2'))).toEqual([
    { Pier: 'West', Ships: 3 },
    { Pier: 'East', Ships: 4 },
  ])
  expect(await rowsOf('a.csv', 'Name,,Open\nAna,yes,yes\nBo,no,yes\nCai,yes,no\n')).toHaveLength(3)
})

const TABLE =
  '| Pier | Berth | Depth |\n| --- | --- | --- |\n| West | W1 | 4 m |\n| West | W2 | 5 m |\n| East | E1 | n/a |'

it('merged cells of a web page are repeated in each row and column, and no cell is shifted', async () => {
  const page =
    '<table><tr><th>Pier</th><th>Berth</th><th>Depth</th></tr>' +
    '<tr><td rowspan="2">West</td><td>W1</td><td>4 m</td></tr>' +
    '<tr><td>W2</td><td>5 m</td></tr><tr><td>East</td><td>E1</td><td>n/a</td></tr></table>'
  expect(await textOf('a.html', `<html><body>${page}</body></html>`)).toContain(TABLE)
  const grouped =
    '<table><tr><th colspan="3">Piers</th></tr><tr><th rowspan="2">Pier</th><th colspan="2">May</th></tr>' +
    '<tr><th>Ships</th><th>Tons</th></tr><tr><td>West</td><td colspan="2">closed</td></tr></table>'
  expect(await textOf('a.html', `<html><body>${grouped}</body></html>`)).toContain(
    'Piers\n\n| Pier | May Ships | May Tons |\n| --- | --- | --- |\n| West | closed | closed |',
  )
})

it('merged cells of a DOCX are repeated in each row and column', async () => {
  const cell = (text: string, merged = '') => `<w:tc><w:tcPr>${merged}</w:tcPr>${paragraph(text)}</w:tc>`
  const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`
  const table =
    row(cell('Pier'), cell('Berth'), cell('Depth')) +
    row(cell('West', '<w:vMerge w:val="restart"/>'), cell('W1'), cell('4 m')) +
    row(cell('', '<w:vMerge/>'), cell('W2'), cell('5 m')) +
    row(cell('East'), cell('E1'), cell('n/a'))
  expect(await textOf('a.docx', docxOf(`<w:tbl>${table}</w:tbl>`))).toContain(TABLE)
  const grouped =
    row(cell('Pier', '<w:vMerge w:val="restart"/>'), cell('May', '<w:gridSpan w:val="2"/>')) +
    row(cell('', '<w:vMerge w:val="continue"/>'), cell('Ships'), cell('Tons')) +
    row(cell('West'), cell('3'), cell('90'))
  expect(await textOf('b.docx', docxOf(`<w:tbl>${grouped}</w:tbl>`))).toContain('| Pier | May Ships | May Tons |')
})

it('merged cells of a slide and of an OpenDocument text are repeated in each row and column', async () => {
  const cell = (text: string, more = '') => `<a:tc ${more}><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:tc>`
  const slide = (rows: string[][]) => rows.map((cells) => `<a:tr>${cells.join('')}</a:tr>`).join('')
  const table = slide([
    [cell('Pier'), cell('Berth'), cell('Depth')],
    [cell('West', 'rowSpan="2"'), cell('W1'), cell('4 m')],
    [cell('', 'vMerge="1"'), cell('W2'), cell('5 m')],
    [cell('East'), cell('E1'), cell('n/a')],
  ])
  expect(await textOf('a.pptx', pptxOf([{ title: 'Piers', lines: [], table }]))).toContain(TABLE)
  const odt = (text: string, more = '') => `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`
  const rows = [
    odt('Pier') + odt('Berth') + odt('Depth'),
    odt('West', 'table:number-rows-spanned="2"') + odt('W1') + odt('4 m'),
    `<table:covered-table-cell/>${odt('W2')}${odt('5 m')}`,
    odt('East') + odt('E1') + odt('n/a'),
  ].map((told) => `<table:table-row>${told}</table:table-row>`)
  const text = zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' },
    { name: 'content.xml', content: `<o><table:table>${rows.join('')}</table:table></o>` },
  ])
  expect(await textOf('a.odt', text)).toContain(TABLE)
})

it('merged cells that exceed the table are limited to it', async () => {
  const rows = [cells('Pier', 'Ships'), cells('West', 3)]
  expect(await rowsOf('a.xlsx', mergedBook(rows, 'A2:A1048576'))).toHaveLength(1)
  const page =
    '<table><tr><td rowspan="65534" colspan="1000">West</td><td>3</td></tr><tr><td>East</td><td>4</td></tr></table>'
  expect(await textOf('a.html', `<html><body>${page}</body></html>`)).toContain('East')
})
