import iconv from 'iconv-lite'
import { expect, it } from 'vitest'
import { lines, pdfOf } from '../../../../tests/harness/documents.ts'
import { zipOf } from '../../../../tests/harness/zip.ts'
import { decodeText } from './decode-text.ts'
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

it('a rotated page is read in reading order, and a rotated mark follows the text', async () => {
  const turned = ['The north pier is closed in winter.', 'It opens again in the first week of April.'].map(
    (text, at) => ({
      text,
      x: 100 + 12 * at,
      y: 72,
      isTurned: true,
    }),
  )
  expect(await textOf('a.pdf', pdfOf([turned]))).toBe(
    'The north pier is closed in winter. It opens again in the first week of April.',
  )
  const mark = { text: 'Draft 7', x: 20, y: 300, isTurned: true }
  const page = [mark, ...lines(['The quay is dry, and the ropes are coiled.'])]
  expect(await textOf('a.pdf', pdfOf([page]))).toBe('The quay is dry, and the ropes are coiled.\n\nDraft 7')
})

it('vCard 2.1 is read, with unnamed parameters and quoted-printable values', async () => {
  const cards =
    'BEGIN:VCARD\r\nVERSION:2.1\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Anna Bj=C3=B6=\r\nrk\r\n' +
    'TEL;CELL:+46 70 111\r\nPHOTO;JPEG;BASE64:\r\n /9j/4AAQ\r\n /9j/4AAQ\r\n\r\nno property\r\nEND:VCARD\r\n'
  const [, , person] = await itemsOf('a.vcf', cards)
  expect(person).toMatchObject({ name: 'Anna Björk', phones: ['+46 70 111'] })
})

it('lines above a table are kept as text, not as its header', async () => {
  const bank =
    'Exported by Bank Nord\nAccount,DK12 3456\n\nDate,Text,Amount\n2026-03-01,Rent,-4850.00\n2026-03-04,Sale,87.50\n'
  expect(await rowsOf('bank.csv', bank)).toEqual([
    { Date: '2026-03-01', Text: 'Rent', Amount: -4850 },
    { Date: '2026-03-04', Text: 'Sale', Amount: 87.5 },
  ])
  expect(await textOf('bank.csv', bank)).toContain('DK12 3456')
  expect(await rowsOf('names.csv', 'Name,City\nAna,Skagen\nBen,Aarhus,left\n')).toEqual([
    { Name: 'Ana', City: 'Skagen' },
    { Name: 'Ben', City: 'Aarhus', C: 'left' },
  ])
})

it('a delimited text with the extension .xls is read as a table', async () => {
  expect(await rowsOf('valves.xls', 'Valve\tSize\nV7\tDN50\n')).toEqual([{ Valve: 'V7', Size: 'DN50' }])
})

it.each([
  ['Shift_JIS', '商品,価格\nりんご,120\nみかん,80\n'],
  ['windows-1252', 'Straße;Größe;Preis\nMüllerstraße 5;84,5;1.200,50\nÄgidiiplatz 2;31,0;840,00\n'],
  ['windows-1252', 'Le café crème à la pêche est très bon, où êtes-vous?'],
  ['windows-1252', 'Señor Núñez comió piña en España el año pasado.'],
  ['windows-1251', 'товар,цена\nяблоко,120\nгруша,80\n'],
  ['windows-1251', 'мама мыла раму, а папа мыл окна'],
  ['gb18030', `a${'新的大桥于五月开通。'.repeat(5_000)}`],
  ['koi8-r', 'Новый мост через Волгу открыт в мае.'],
])('a short text in %s is decoded', (charset, text) => {
  expect(decodeText(iconv.encode(text, charset))).toBe(text)
})

it('a password-protected OpenDocument file is reported as encrypted', async () => {
  const locked = zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' },
    { name: 'content.xml', content: 'not XML' },
    {
      name: 'META-INF/manifest.xml',
      content: '<m:manifest><m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>',
    },
  ])
  await expect(itemsOf('a.odt', locked)).rejects.toMatchObject({ reason: 'file_encrypted' })
})
