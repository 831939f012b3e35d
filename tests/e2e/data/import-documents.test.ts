import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { cells, docxOf, lines, paragraph, pdfOf, pptxOf, xlsxOf } from '../../harness/documents.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'
import { zipOf } from '../../harness/zip.ts'

const WAIT = { prefer: 'wait=30' }
const PDF = pdfOf([lines(['The quay is dry.']), lines(['The night ferry leaves Skagen at 23:40.'])])

onEachApp((app) => {
  const setUp = async () => {
    const { call } = await app().newAccount()
    return { call, sandbox: await newSandbox(call) }
  }
  const send = (call: Call, { storage }: TestSandbox, body: Buffer | string, type: string, query = '') =>
    call('POST', `${storage}/import${query}`, body, { ...WAIT, 'content-type': type })
  const recordOf = async (call: Call, { storage }: TestSandbox, externalId: string) => {
    const { body } = await call('GET', `${storage}/export`)
    const records = String(body)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    return records.find((each) => each.external_id === externalId)
  }

  describe('one file', () => {
    it('of any kind is a document, whatever its media type, and is cited with its page', async () => {
      const { call, sandbox } = await setUp()
      const { body } = await send(call, sandbox, PDF, 'application/pdf', '?path=plans/ferry.pdf')
      expect(body.result).toMatchObject({ received: 1, written: 1, failed: 0 })
      expect(await recordOf(call, sandbox, 'plans/ferry.pdf')).toMatchObject({
        type: 'document',
        properties: { path: 'plans/ferry.pdf', folder: 'plans', format: 'pdf', pages: 2 },
        locators: [{ locator: 'p. 1' }, { locator: 'p. 2' }],
      })
      const asked = { query: 'When does the night ferry leave Skagen?', statements: true }
      const { body: answer } = await call('POST', `${sandbox.query}/search`, asked)
      expect(JSON.stringify(answer)).toContain('p. 2')
      const again = await send(call, sandbox, PDF, 'application/msword', '?path=plans/ferry.pdf')
      expect(again.body.result).toMatchObject({ written: 0, unchanged: 1 })
    })

    it('of Office, OpenDocument or EPUB is one document, although it is a zip', async () => {
      const { call, sandbox } = await setUp()
      const book = zipOf([
        { name: 'mimetype', content: 'application/epub+zip' },
        {
          name: 'META-INF/container.xml',
          content: '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
        },
        {
          name: 'b.opf',
          content:
            '<package><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
        },
        { name: 'c.xhtml', content: '<html><body><p>The lamp is lit at dusk.</p></body></html>' },
      ])
      const documents = {
        'rent.docx': docxOf(paragraph('The rent of the boathouse is 4000 crowns.')),
        'plan.pptx': pptxOf([{ title: 'The plan', lines: ['Paint the quay.'] }]),
        'lamp.epub': book,
      }
      for (const [path, bytes] of Object.entries(documents)) {
        const { body } = await send(call, sandbox, bytes, 'application/octet-stream', `?path=${path}`)
        expect(body.result, path).toMatchObject({ received: 1, written: 1, failed: 0 })
        expect((await recordOf(call, sandbox, path)).type).toBe('document')
      }
      const sheet = xlsxOf({ Stock: [cells('Item', 'Count'), cells('Rope', 12), cells('Anchor', 3)] })
      await send(call, sandbox, sheet, 'application/octet-stream', '?path=stock.xlsx')
      expect(await recordOf(call, sandbox, 'stock.xlsx#stock!3')).toMatchObject({ properties: { Count: 3 } })
    })

    it('without a path is recognized by its content', async () => {
      const { call, sandbox } = await setUp()
      const note = '# Night service\n\nThe last ferry leaves Skagen at 23:40.'
      expect((await send(call, sandbox, note, 'text/markdown')).body.result).toMatchObject({ written: 1 })
      expect((await send(call, sandbox, note, 'text/plain; charset=iso-8859-1')).body.result).toMatchObject({
        unchanged: 1,
      })
    })

    it.each([
      ['lease.rtf', 'application/rtf', '{\\rtf1\\ansi The rent of the boathouse is 4000 crowns.\\par}'],
      ['lease', 'application/octet-stream', '{\\rtf1\\ansi The rent of the boathouse is 4000 crowns.\\par}'],
      ['lease.md', 'application/octet-stream', '[1]\n[2]\n\nThe rent of the boathouse is 4000 crowns.'],
      ['lease.txt', 'text/plain', '{draft} The rent of the boathouse is 4000 crowns.'],
      ['lease.py', 'application/octet-stream', '[\n  "The rent of the boathouse is 4000 crowns.", # since May\n]'],
    ])('%s (%s) may begin as JSON does', async (path, type, content) => {
      const { call, sandbox } = await setUp()
      const { body } = await send(call, sandbox, content, type, `?path=${path}`)
      expect(body.result).toMatchObject({ written: 1, failed: 0 })
      expect((await recordOf(call, sandbox, path)).text).toContain('The rent of the boathouse is 4000 crowns.')
    })

    it.each([
      ['cut.pdf', 'application/pdf', PDF.subarray(0, 300), 'file_damaged', /truncated/],
      [
        'berth.png',
        'image/png',
        Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
        'unsupported_file',
        /Supported formats: PDF/,
      ],
    ])('that cannot be parsed is rejected with a reason and what to do: %s', async (path, type, file, why, detail) => {
      const { call, sandbox } = await setUp()
      const form = `--b\r\nContent-Disposition: form-data; name="f"; filename="${path}"\r\n\r\n`
      const inForm = Buffer.concat([Buffer.from(form), file, Buffer.from('\r\n--b--\r\n')])
      for (const [content, sentAs] of [
        [file, type],
        [inForm, 'multipart/form-data; boundary=b'],
      ] as const) {
        const { status, body } = await send(call, sandbox, content, sentAs, `?path=${path}`)
        expect([status, body.error, body.reason]).toEqual([422, 'validation_error', 'unsupported_file'])
        expect([body.errors[0].type, body.detail]).toEqual([why, expect.stringMatching(detail)])
      }
      const [source] = (await call('GET', `${sandbox.storage}/sources?provider=markdown`)).body.sources
      const { runs } = (await call('GET', `${sandbox.storage}/sources/${source.data_source_id}/runs`)).body
      expect(runs[0].files).toMatchObject([{ path, reason: why, records: 0 }])
    })

    it('may be any JSON: each object of a list is a record, mapped by its field names', async () => {
      const { call, sandbox } = await setUp()
      const shops = [
        { id: 7, name: 'Quay shop', city: 'Skagen' },
        { id: 8, name: 'Pier shop', city: 'Aalborg' },
      ]
      const { body } = await send(call, sandbox, JSON.stringify(shops), 'application/json', '?path=shops.json')
      expect(body.result).toMatchObject({ written: 2 })
      expect(await recordOf(call, sandbox, 'shops.json#7')).toMatchObject({ type: 'shop', title: 'Quay shop' })
      const file = await send(call, sandbox, JSON.stringify({ shops }), 'application/octet-stream', '?path=shops.json')
      expect(file.body.result).toMatchObject({ unchanged: 2 })
    })
  })

  it('files of a form are imported under their names', async () => {
    const { call, sandbox } = await setUp()
    const form = new FormData()
    form.append('a', new Blob([Uint8Array.from(PDF)]), 'ferry.pdf')
    form.append('b', new Blob(['The quay.']), 'notes/quay.txt')
    const request = new Response(form)
    const body = await buffer(Readable.fromWeb(request.body as never))
    const type = request.headers.get('content-type')!
    expect((await send(call, sandbox, body, type)).body.result).toMatchObject({ written: 2, failed: 0 })
    expect(await recordOf(call, sandbox, 'notes/quay.txt')).toMatchObject({ text: 'The quay.' })
    const options = new FormData()
    options.append('format', 'documents')
    const field = new Response(options)
    const refused = await send(
      call,
      sandbox,
      await buffer(Readable.fromWeb(field.body as never)),
      field.headers.get('content-type')!,
    )
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('query')])
    expect((await send(call, sandbox, 'no form', 'multipart/form-data; boundary=x')).status).toBe(400)
  })

  it('a text in several files and sources is answered and cited once, with all its locations', async () => {
    const { call, sandbox } = await setUp()
    const note = '# Lamp\n\nThe lamp of the pier is lit at dusk by Zora Quill.'
    const folders = {
      One: [
        { name: 'a/ferry.pdf', content: PDF },
        { name: 'b/ferry copy.pdf', content: PDF },
        { name: 'a/lamp.md', content: note },
      ],
      Two: [
        { name: 'old/ferry.pdf', content: PDF },
        { name: 'lamp.md', content: note },
        { name: 'other.md', content: 'Ropes are coiled in the evening.' },
      ],
    }
    for (const [name, files] of Object.entries(folders)) {
      await send(call, sandbox, zipOf(files), 'application/zip', `?source_name=${name}&format=documents`)
    }
    const answerTo = async (query: string) => {
      const { body } = await call('POST', `${sandbox.query}/search`, { query, statements: true })
      const { citations, statements, records } = body
      expect(citations).toHaveLength(1)
      expect(citations[0].record_ids.toSorted()).toEqual(statements[0].record_ids.toSorted())
      const places: { record_id: string }[] = citations[0].spans
      expect(new Set(places.map(({ record_id: id }) => id)).size).toBe(citations[0].record_ids.length)
      return { statements, paths: records.map(({ path }: { path: string }) => path).sort(), citation: citations[0] }
    }
    const ferry = await answerTo('When does the night ferry leave Skagen?')
    expect(ferry.statements).toHaveLength(1)
    expect(ferry.paths).toEqual(['a/ferry.pdf', 'b/ferry copy.pdf', 'old/ferry.pdf'])
    expect((await answerTo('Who lights the lamp of the pier?')).paths).toEqual(['a/lamp.md', 'lamp.md'])

    const asked = { query: 'When does the night ferry leave Skagen?' }
    const { passages, citations } = (await call('POST', `${sandbox.query}/context`, asked)).body
    const ofFerry = passages.filter(({ title }: { title: string }) => title.startsWith('ferry'))
    expect(ofFerry).toHaveLength(1)
    expect(citations[0].record_ids.toSorted()).toEqual(ferry.citation.record_ids.toSorted())
    const items = ferry.citation.record_ids.map((id: string) => [id])
    const { body: brief } = await call('POST', `${sandbox.query}/interpret`, { ...asked, items })
    expect(brief.citations).toHaveLength(1)
  })

  it('files of a folder are parsed individually: rows are counted and summed, attachments are found', async () => {
    const { call, sandbox } = await setUp()
    const contract = docxOf(paragraph('The rent of the boathouse is 4000 crowns.'))
    const mail =
      'From: Ana Lima <ana@x.example>\r\nMessage-ID: <quay@x.example>\r\nDate: Sun, 1 Mar 2026 09:00:00 +0000\r\n' +
      'Subject: Contract\r\n' +
      'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\nSee the file.\r\n--b\r\n' +
      'Content-Type: application/octet-stream; name="contract.docx"\r\n' +
      'Content-Disposition: attachment; filename="contract.docx"\r\n' +
      `Content-Transfer-Encoding: base64\r\n\r\n${contract.toString('base64')}\r\n--b--\r\n`
    const folder = zipOf([
      {
        name: 'work/invoices.csv',
        content: 'Invoice,Customer,Amount\nA-1,Harbour AS,100\nA-2,Lima Ltd,250\nA-3,Harbour AS,50\n',
      },
      {
        name: 'work/stock.xlsx',
        content: xlsxOf({ Stock: [cells('Item', 'Count'), cells('Rope', 12), cells('Anchor', 3)] }),
      },
      { name: 'work/mail.eml', content: mail },
      {
        name: 'work/people.vcf',
        content: 'BEGIN:VCARD\nVERSION:3.0\nFN:Ana Lima\nEMAIL:ana@x.example\nORG:Harbour AS\nEND:VCARD\n',
      },
      { name: 'work/locked.zip', content: zipOf([{ name: 'a.md', content: 'x', isEncrypted: true }]) },
    ])
    const { body } = await send(call, sandbox, folder, 'application/zip')
    expect(body.result).toMatchObject({ failed: 1, errors: [{ file: 'locked.zip', reason: 'file_encrypted' }] })
    expect(await recordOf(call, sandbox, 'invoices.csv#invoices!3')).toMatchObject({
      type: 'invoice',
      properties: { Customer: 'Lima Ltd', Amount: 250 },
    })
    expect(await recordOf(call, sandbox, 'stock.xlsx#stock!2')).toMatchObject({
      locators: [{ start: 0, locator: 'Stock!A2:B2' }],
    })
    expect(await recordOf(call, sandbox, 'email/quay@x.example/contract.docx')).toMatchObject({
      text: 'The rent of the boathouse is 4000 crowns.',
      properties: { mail: 'email/quay@x.example' },
    })
    const answerTo = async (query: string) =>
      (await call('POST', `${sandbox.query}/search`, { query })).body.answer as string
    expect(await answerTo('How many invoices are there?')).toContain('3')
    expect(await answerTo('What is the total amount of invoices?')).toContain('400')
    const { body: people } = await call('GET', `${sandbox.storage}/entities/search?q=Ana%20Lima&type=person`)
    const persons = people.results.filter((each: { record_type: string }) => each.record_type === 'person')
    expect(persons).toMatchObject([{ name: 'Ana Lima' }])
  })
})
