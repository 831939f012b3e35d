import { describe, expect, it } from 'vitest'
import { zipOf } from '../../../../tests/harness/zip.ts'
import { epubOf, pageOf, pdfStream, pptxOf, xlsxOf } from '../../../../tests/hostile-documents/valid.mjs'
import type { DocumentItem } from './document.ts'
import { readDocument } from './read-document.ts'
import { openBounds } from './reading-bounds.ts'

async function itemsOf(name: string, bytes: Uint8Array): Promise<DocumentItem[]> {
  const items: DocumentItem[] = []
  for await (const item of readDocument({ name, bytes })) items.push(item)
  return items
}
const textOf = (items: readonly DocumentItem[]) =>
  items.flatMap((item) => (item.kind === 'part' ? [item.text] : [])).join('\n')

describe('a document that references one part many times', () => {
  const content = pdfStream(Buffer.from('BT /F1 12 Tf 72 700 Td (The night ferry leaves) Tj ET'))
  const sheet = '<sheetData><row><c t="inlineStr"><is><t>The night ferry leaves</t></is></c></row></sheetData>'
  const sheets = Array.from({ length: 300 }, () => 's.xml')
  it.each([
    ['a.epub', epubOf(20_000)],
    ['a.pptx', pptxOf(20_000)],
    ['a.pdf', pageOf(content, { kids: 1_000 })],
    ['a.xlsx', xlsxOf(sheets, { 'xl/strings.xml': '', 'xl/s.xml': sheet })],
  ])('is read once: %s', async (name, bytes) => {
    expect(textOf(await itemsOf(name, bytes)).match(/night ferry/g)).toHaveLength(1)
  })
})

describe('nesting', () => {
  const depth = 100_000
  it.each([
    ['flow.yaml', '['.repeat(depth)],
    ['lines.yaml', Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
    ['indicators.yaml', `${'- '.repeat(depth)}x`],
  ])('too deep for recursion is read as text: %s', async (name, text) => {
    expect(textOf(await itemsOf(name, Buffer.from(text)))).toContain('```yaml')
  })

  it.each([
    ['a.json', `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`],
    ['a.ipynb', `{"nbformat":4,"cells":${'['.repeat(depth)}${']'.repeat(depth)}}`],
    ['a.ndjson', `{"a":1}\n{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`],
  ])('of JSON is limited before it is parsed: %s', async (name, text) => {
    await expect(itemsOf(name, Buffer.from(text))).rejects.toMatchObject({ reason: 'took_too_much' })
  })

  it('inside strings does not count, and normal depth is read', async () => {
    const brackets = '['.repeat(1_000)
    expect(await itemsOf('a.json', Buffer.from(JSON.stringify([{ said: brackets }])))).toContainEqual({
      kind: 'value',
      value: { said: brackets },
    })
    expect(textOf(await itemsOf('a.yaml', Buffer.from('a:\n  b:\n    - [1, {c: d}]\n')))).toContain('a.b.0.1.c: d')
  })
})

it('nested archives share the unpack limit of the outermost one', async () => {
  const zeros = (name: string) => zipOf([{ name, content: Buffer.alloc(30 * 1024 * 1024, 'a\n') }])
  const names = ['a', 'b', 'c']
  const items = await itemsOf(
    'all.zip',
    zipOf(names.map((name) => ({ name: `${name}.zip`, content: zeros(`${name}.txt`) }))),
  )
  const left = items.filter((item) => item.kind === 'left_out')
  expect(left).toMatchObject([{ within: ['c.zip', 'c.txt'], reason: 'took_too_much' }])
})

it('the limits of characters and items depend on the file size', () => {
  const all = (chars: number) => () => {
    const bounds = openBounds(1_000)
    for (let at = 0; at < 110_000; at += 1) bounds.count(chars)
  }
  expect(all(1)).toThrow('unpacks to more text')
  expect(() => openBounds(1_000).count(5_000_000)).toThrow('unpacks to more text')
  expect(() => openBounds(10_000_000).count(5_000_000)).not.toThrow()
})
