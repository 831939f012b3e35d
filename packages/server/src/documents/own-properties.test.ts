import { expect, it } from 'vitest'
import { docxOf, paragraph } from '../../../../tests/harness/documents.ts'
import type { DocumentHead } from './document.ts'
import { readDocument } from './read-document.ts'

async function headOf(properties: string): Promise<DocumentHead> {
  const core = `<p xmlns:dc="d" xmlns:t="t">${properties}</p>`
  const content = docxOf(paragraph('The quay is dry.'), { 'docProps/core.xml': core })
  for await (const item of readDocument({ name: 'a.docx', bytes: content })) if (item.kind === 'head') return item
  throw new Error('There is no head.')
}

it('template dates and program names are not used as the date and author of a document', async () => {
  const template = '<dc:creator>python-docx</dc:creator><t:created>2013-12-23T23:15:00Z</t:created>'
  expect(await headOf(template)).toMatchObject({ at: undefined })
  expect(await headOf(template)).not.toHaveProperty('authors')
  expect(await headOf(`${template}<t:modified>2026-05-04T08:00:00Z</t:modified>`)).toMatchObject({
    at: '2026-05-04T08:00:00Z',
  })
  expect(await headOf('<dc:creator>Ana Lima</dc:creator><t:created>1980-01-01T00:00:00Z</t:created>')).toMatchObject({
    authors: [{ name: 'Ana Lima' }],
    at: undefined,
  })
})
