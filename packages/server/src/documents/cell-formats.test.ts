import { expect, it } from 'vitest'
import { cells, xlsxOf } from '../../../../tests/harness/documents.ts'
import { zipOf } from '../../../../tests/harness/zip.ts'
import type { TableRow } from './document.ts'
import { readDocument } from './read-document.ts'

async function readRows(name: string, content: string | Uint8Array) {
  const rows: TableRow[] = []
  let text = ''
  for await (const item of readDocument({ name, bytes: Buffer.from(content) })) {
    if (item.kind === 'row') rows.push(item)
    if (item.kind === 'part') text += `${item.text}\n`
  }
  return { rows, text }
}

/** Returns the value, the displayed text (if it says more) and the unit of each cell in a column. */
async function columnOf(name: string, content: string | Uint8Array, column: string) {
  const { rows } = await readRows(name, content)
  return rows.map(({ cells: row, shown, units }) => [Object.fromEntries(row)[column], shown?.[column], units?.[column]])
}

/** Returns a workbook with a column of numbers, each with its own format: a code or the id of a built-in format. */
function formattedBook(formatted: readonly (readonly [number, string | number])[]): Buffer {
  const codes = formatted.map(([, format], at) =>
    typeof format === 'string' ? { id: 164 + at, code: format } : undefined,
  )
  const escaped = (code: string) => code.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const formats = codes.map((each) => each && `<numFmt numFmtId="${each.id}" formatCode="${escaped(each.code)}"/>`)
  const styles = formatted.map(([, format], at) => `<xf numFmtId="${codes[at]?.id ?? format}"/>`)
  const rows = formatted.map(
    ([number], at) => `<c t="inlineStr"><is><t>k${at}</t></is></c><c s="${at}"><v>${number}</v></c>`,
  )
  return xlsxOf(
    { Sheet: [cells('Key', 'Value'), ...rows] },
    { 'xl/styles.xml': `<s><numFmts>${formats.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></s>` },
  )
}

it.each([
  [0.0725, 10, 7.25, '7.25%', '%'],
  [0.07, '0%', 7, '7%', '%'],
  [1234.5, '"$"#,##0.00', 1234.5, '$1,234.50', '$'],
  [-1234.5, 44, -1234.5, '$(1,234.50)', '$'],
  [1234.5, '#,##0.00\\ [$€-407]', 1234.5, '1.234,50 €', '€'],
  [1234.5, '[$CHF]\\ #,##0.00', 1234.5, 'CHF 1,234.50', 'CHF'],
  [5000, '#,##0\\ "kr"', 5000, '5,000 kr', 'kr'],
  [12, '0" kg"', 12, '12 kg', 'kg'],
  [1.75, 46, 42, '42:00:00', 'h'],
  [1.75, '[h]:mm', 42, '42:00', 'h'],
  [0.75, 20, '18:00', undefined, undefined],
  [46082.5, 22, '2026-03-01T12:00:00.000Z', undefined, undefined],
  [46082, '[$-407]d. mmmm yyyy', '2026-03-01', undefined, undefined],
  [123456, 11, 123456, '1.23E+05', undefined],
  [3, '"Q"0', 'Q3', undefined, undefined],
  [42, '00000', '00042', undefined, undefined],
  [12345678, '0.0,,"M"', 12345678, '12.3M', undefined],
  [0.1 + 0.2, 0, 0.3, undefined, undefined],
  [5, ';;;', 5, undefined, undefined],
])('the number %d of a workbook is shown in the format %s, and keeps its value', async (number, format, ...is) => {
  expect(await columnOf('a.xlsx', formattedBook([[number, format]]), 'Value')).toEqual([is])
})

it('a formula that adds cells inherits their format, and one that multiplies does not', async () => {
  const formula = (column: string, expression: string, value: number) =>
    `<c r="${column}4"><f>${expression}</f><v>${value}</v></c>`
  const rows = [
    cells('Key', 'Price', 'Share'),
    '<c r="A2" t="inlineStr"><is><t>a</t></is></c><c r="B2" s="1"><v>10</v></c><c r="C2" s="2"><v>0.5</v></c>',
    '<c r="A3" t="inlineStr"><is><t>b</t></is></c><c r="B3" s="1"><v>5</v></c><c r="C3" s="2"><v>0.25</v></c>',
    `<c r="A4" t="inlineStr"><is><t>c</t></is></c>${formula('B', 'B2+B3', 15)}${formula('C', 'B2*C2', 5)}`,
  ]
  const styles =
    '<s><numFmts><numFmt numFmtId="170" formatCode="#,##0.00\\ &quot;EUR&quot;"/></numFmts>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs></s>'
  const { rows: read } = await readRows('a.xlsx', xlsxOf({ Sheet: rows }, { 'xl/styles.xml': styles }))
  expect(read[2]).toMatchObject({ shown: { Price: '15.00 EUR' }, units: { Price: 'EUR' } })
  expect(read[2]?.units).not.toHaveProperty('Share')
})

it('a formula error is not a value', async () => {
  const sheet = [cells('Key', 'Value'), '<c t="inlineStr"><is><t>a</t></is></c><c t="e"><v>#N/A</v></c>', cells('b', 2)]
  expect(await columnOf('a.xlsx', xlsxOf({ Sheet: sheet }), 'Value')).toEqual([
    [undefined, undefined, undefined],
    [2, undefined, undefined],
  ])
  expect(await columnOf('a.csv', 'Key,Value\na,#DIV/0!\nb,2\nc,n/a\n', 'Value')).toEqual([
    [undefined, undefined, undefined],
    [2, undefined, undefined],
    [undefined, undefined, undefined],
  ])
})

it.each([
  ['1.250,50 €', '840,00 €', 1250.5, '1.250,50 €', '€'],
  ['$1,250.50', '$840.00', 1250.5, '$1,250.50', '$'],
  ["CHF 1'250.50", 'CHF 840.00', 1250.5, "CHF 1'250.50", 'CHF'],
  ['5 000 kr', '12 kr', 5000, '5 000 kr', 'kr'],
  ['¥1,200', '¥90', 1200, '¥1,200', '¥'],
  ['1.500 KWD', '12.250 KWD', 1.5, '1.500 KWD', 'KWD'],
  ['1,500 TND', '1.012,250 TND', 1.5, '1,500 TND', 'TND'],
  ['1.500 EUR', '12.250 EUR', 1500, '1.500 EUR', 'EUR'],
  ['(1,250.50)', '840.00', -1250.5, '(1,250.50)', undefined],
  ['4,5 %', '12,0 %', 4.5, '4,5 %', '%'],
  ['1.500', '2.250', 1500, '1.500', undefined],
  ['26:30', '7:15', 26.5, '26:30', 'h'],
  ['1e-3', '2.5', 0.001, '1e-3', undefined],
  ['0042', '0043', '0042', undefined, undefined],
  ['5 €', '$5', '5 €', undefined, undefined],
])('text cells %j and %j become numbers with a unit, and keep their text', async (one, two, ...is) => {
  expect((await columnOf('a.csv', `Key;Value\na;${one}\nb;${two}\n`, 'Value'))[0]).toEqual(is)
})

it('numeric dates with dots have the day first', async () => {
  expect(await columnOf('a.csv', 'Key;Due\na;02.03.2026\nb;04.05.26\n', 'Due')).toEqual([
    ['2026-03-02', undefined, undefined],
    ['2026-05-04', undefined, undefined],
  ])
})

it('cells of an OpenDocument sheet keep their displayed text and unit', async () => {
  const cell = (more: string, text: string) => `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`
  const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
  const rows = [
    row(cell('', 'Key'), cell('', 'Share'), cell('', 'Price'), cell('', 'Time')),
    row(
      cell('', 'a'),
      cell('office:value-type="percentage" office:value="0.0725"', '7,25 %'),
      cell('office:value-type="currency" office:currency="EUR" office:value="1250.5"', '1.250,50 €'),
      cell('office:value-type="time" office:time-value="PT42H30M00S"', '42:30'),
    ),
  ]
  const book = zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    { name: 'content.xml', content: `<o><table:table table:name="S">${rows.join('')}</table:table></o>` },
  ])
  expect((await readRows('a.ods', book)).rows[0]).toMatchObject({
    cells: Object.entries({ Key: 'a', Share: 7.25, Price: 1250.5, Time: 42.5 }),
    shown: { Share: '7,25 %', Price: '1.250,50 €', Time: '42:30' },
    units: { Share: '%', Price: '€', Time: 'h' },
  })
})

it.each([
  ['Total', 30],
  ['Summe:', 30],
  ['Gesamt EUR', 30],
  ['Sous-total', 30],
  ['Итого', 30],
  ['合計', 30],
  ['Total March', 30],
  ['North Total', 30],
  ['', 30],
])('a row labelled %j is a total, not a data row', async (label, sum) => {
  const { rows, text } = await readRows('a.csv', `Key,Count\na,10\nb,20\n${label},${sum}\n`)
  expect(rows.map(({ cells: row }) => row[0]?.[1])).toEqual(['a', 'b'])
  expect(text).toContain(`Count: ${sum}`)
})

it.each([
  ['Total Parts Ltd', 7],
  ['Sumatra', 30],
  ['', 7],
])('a row labelled %j is a data row', async (label, count) => {
  expect((await readRows('a.csv', `Key,Count\na,10\nb,20\n${label},${count}\n`)).rows).toHaveLength(3)
})

it('a row whose label also means total is a data row, unless its number is the sum', async () => {
  const { rows } = await readRows('a.csv', 'Key,Count\nprint,10\nradio,20\nMedia,7\nevents,5\n')
  expect(rows.map(({ cells: row }) => row[0]?.[1])).toEqual(['print', 'radio', 'Media', 'events'])
})

it('subtotals are not added to later sums, and a sum formula over its column is a total', async () => {
  const parted = 'Key,Count\na,10\nb,20\nSubtotal,30\nc,5\nd,6\nSubtotal,11\n,41\n'
  expect((await readRows('a.csv', parted)).rows).toHaveLength(4)
  const summed = [cells('Key', 'Count'), cells('a', 1), cells('b', 2)]
  const last = '<c t="inlineStr"><is><t>All piers</t></is></c><c r="B4"><f>SUM(B2:B3)</f><v>3</v></c>'
  expect((await readRows('a.xlsx', xlsxOf({ Sheet: [...summed, last] }))).rows).toHaveLength(2)
})

it('a header may contain years, and a repeated header is not a row', async () => {
  const { rows } = await readRows('a.csv', 'Pier,2024,2025\nWest,3,4\nPier,2024,2025\nEast,5,6\n')
  expect(rows.map(({ cells: row }) => Object.fromEntries(row))).toEqual([
    { Pier: 'West', 2024: 3, 2025: 4 },
    { Pier: 'East', 2024: 5, 2025: 6 },
  ])
})
