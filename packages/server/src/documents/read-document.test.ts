import { describe, expect, it } from 'vitest'
import { cells, docxOf, lines, paragraph, pdfOf, pptxOf, xlsxOf } from '../../../../tests/harness/documents.ts'
import { zipOf } from '../../../../tests/harness/zip.ts'
import type { DocumentHead, DocumentItem } from './document.ts'
import { readDocument } from './read-document.ts'

async function itemsOf(name: string, content: string | Uint8Array, type?: string): Promise<DocumentItem[]> {
  const items: DocumentItem[] = []
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  for await (const item of readDocument({ name, type, bytes })) if (item.kind !== 'coming') items.push(item)
  return items
}

async function read(name: string, content: string | Uint8Array, type?: string) {
  const items = await itemsOf(name, content, type)
  const parts = items.filter((item) => item.kind === 'part')
  return {
    head: items[0] as DocumentHead,
    text: parts.map(({ text }) => text).join('\n'),
    locators: parts.flatMap(({ locators }) => locators.map(({ locator }) => locator)),
    rows: items.flatMap((item) => (item.kind === 'row' ? [Object.fromEntries(item.cells)] : [])),
    items,
  }
}

/** Returns the reason why a file is not read, or `read`. */
function refusal(name: string, content: string | Uint8Array): Promise<string> {
  return itemsOf(name, content).then(
    () => 'read',
    ({ reason }: { reason: string }) => reason,
  )
}

const ROWS = 'Invoice;Customer;Amount;Due\nA-1;Harbour AS;1.200,50;31/03/2026\nA-2;"Lima; Ltd";340;01/04/2026\n'

describe('the format is detected by content', () => {
  it.each([
    ['report.docx', pdfOf([lines(['The quay is dry.'])]), 'pdf'],
    ['report.pdf', docxOf(paragraph('The quay is dry.')), 'docx'],
    ['page.txt', '<!doctype html><html><body><p>The quay is dry.</p></body></html>', 'html'],
    ['notes', 'The quay is dry.', 'text'],
    ['picture.png', 'The quay is dry.', 'text'],
    ['main.py', 'print("The quay is dry.")', 'code'],
    ['data.txt', '[{"said": "The quay is dry."}]', 'json'],
    ['rich', '{\\rtf1\\ansi The quay is dry.\\par}', 'rtf'],
  ])('%s', async (name, content, format) => {
    const { head, items } = await read(name, content)
    expect(head.format).toBe(format)
    expect(JSON.stringify(items)).toContain('The quay is dry.')
  })

  it('an ambiguous format is decided by media type, then by file name', async () => {
    expect((await read('', ROWS, 'text/csv')).rows).toHaveLength(2)
    expect((await read('invoices.csv', ROWS)).rows).toHaveLength(2)
    expect((await read('invoices', ROWS)).rows).toHaveLength(0)
  })

  it.each([
    [
      'windows-1252',
      Buffer.from('Die Fähre fährt um 9 Uhr ab, über die Brücke – später.'.replace('–', '\u0096'), 'latin1'),
    ],
    ['utf-16', Buffer.from('\ufeffDie Fähre fährt um 9 Uhr ab.', 'utf16le')],
    ['utf-8', Buffer.from('\ufeffDie Fähre fährt um 9 Uhr ab.')],
  ])('text in %s', async (_, bytes) => {
    expect((await read('a.txt', bytes)).text).toContain('Die Fähre fährt um 9 Uhr ab')
  })

  it.each([
    ['picture.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'unsupported_file'],
    ['old.doc', Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0', 'latin1'), 'unsupported_file'],
    [
      'locked.docx',
      Buffer.concat([Buffer.from('\xd0\xcf\x11\xe0', 'latin1'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'file_encrypted',
    ],
    ['cut.pdf', pdfOf([lines(['The quay is dry.'])]).subarray(0, 400), 'file_damaged'],
    ['scan.pdf', pdfOf([[], []]), 'no_text'],
    ['cut.docx', docxOf(paragraph('The quay is dry.')).subarray(0, 300), 'file_damaged'],
    ['locked.zip', zipOf([{ name: 'a.md', content: 'Hi.', isEncrypted: true }]), 'file_encrypted'],
    ['bomb.docx', zipOf([{ name: 'word/document.xml', content: Buffer.alloc(70 * 1024 * 1024) }]), 'took_too_much'],
    ['nothing.txt', '', 'empty_file'],
    ['blank.txt', ' \n ', 'empty_file'],
  ])('%s is rejected with its reason', async (name, content, reason) => {
    expect(await refusal(name, content)).toBe(reason)
  })
})

describe('PDF', () => {
  it('has page locators, headings by font size, rejoined hyphenated words, and its own title', async () => {
    const first = [
      { text: 'Night service', y: 740, size: 20 },
      ...lines(['The last ferry leaves Skagen at twenty to mid-', 'night and arrives at one.']),
    ]
    const { head, text, locators } = await read(
      'a.pdf',
      pdfOf([first, lines(['Second page.'])], '/Title (Ferries) /Author (Ana Lima) /CreationDate (D:20260301090000Z)'),
    )
    expect(head).toMatchObject({ title: 'Ferries', authors: [{ name: 'Ana Lima' }], at: '2026-03-01T09:00:00.000Z' })
    expect(text).toBe(
      '# Night service\n\nThe last ferry leaves Skagen at twenty to midnight and arrives at one.\n\nSecond page.',
    )
    expect(locators).toEqual(['p. 1', 'p. 2'])
  })

  it('reads two columns one after the other, after the text above them', async () => {
    const left = Array.from({ length: 8 }, (_, at) => `left line ${at} of the first column`)
    const right = Array.from({ length: 8 }, (_, at) => `right line ${at} of the second one`)
    const page = [
      ...lines(['This line stands over both of the columns and is as wide as the whole page is, nearly.'], {
        top: 720,
      }),
      ...lines(left),
      ...lines(right, { x: 330 }),
    ]
    const { text } = await read('a.pdf', pdfOf([page]))
    expect(text.indexOf('over both')).toBeLessThan(text.indexOf('left line 0'))
    expect(text.indexOf('left line 7')).toBeLessThan(text.indexOf('right line 0'))
  })

  it('has tables as rows', async () => {
    const table = [
      ['Route', 'Price', 'Length'],
      ['Skagen', '120', '3 h'],
      ['Gothenburg', '340', '9 h'],
    ]
    const page = table.flatMap((row, at) =>
      row.map((text, column) => ({ text, x: 72 + 150 * column, y: 700 - 20 * at })),
    )
    expect((await read('a.pdf', pdfOf([page]))).text).toContain('| Gothenburg | 340 | 9 h |')
  })

  it('omits running headers and footers', async () => {
    const pages = Array.from({ length: 6 }, (_, at) => [
      { text: `Harbour report, page ${at + 1}`, y: 770 },
      ...lines([`What page ${at + 1} says.`, 'More of it.', `And its end is ${at + 1}.`]),
    ])
    const { text } = await read('a.pdf', pdfOf(pages))
    expect(text).not.toContain('Harbour report')
    expect(text).toContain('And its end is 6.')
  })
})

describe('DOCX', () => {
  it('has headings, lists, tables, links, and comments as quotes, without deleted or hidden text', async () => {
    const link = '<w:hyperlink r:id="r1"><w:r><w:t>the site</w:t></w:r></w:hyperlink>'
    const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
    const body =
      paragraph('Plan', '<w:pStyle w:val="H1"/>') +
      `<w:p><w:r><w:t>See </w:t></w:r>${link}<w:del><w:r><w:delText>never</w:delText></w:r></w:del>` +
      '<w:ins><w:r><w:t>, now</w:t></w:r></w:ins><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>' +
      '<w:commentReference w:id="1"/></w:p>' +
      paragraph('Be early', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>') +
      `<w:tbl><w:tr>${cell('Route')}${cell('Price')}</w:tr><w:tr>${cell('Skagen')}${cell('120')}</w:tr></w:tbl>`
    const others = {
      'word/_rels/document.xml.rels':
        '<Relationships><Relationship Id="r1" TargetMode="External" Target="https://ferry.example"/></Relationships>',
      'word/comments.xml': `<w:c><w:comment w:id="1" w:author="Ben">${paragraph('Is it?')}</w:comment></w:c>`,
    }
    const { head, text } = await read('a.docx', docxOf(body, others))
    expect(head).toMatchObject({ title: 'The plan', authors: [{ name: 'Ana Lima' }], at: '2026-03-01T09:00:00Z' })
    expect(text.split('\n\n')).toEqual([
      '# Plan',
      'See [the site](https://ferry.example), now',
      '> Ben: Is it?',
      '- Be early',
      '| Route | Price |\n| --- | --- |\n| Skagen | 120 |',
    ])
  })
})

it('PPTX has slide locators, titles and notes', async () => {
  const slides = [
    { title: 'Winter', lines: ['The night ferry rests.'], notes: 'Say why.' },
    { title: 'Spring', lines: ['It sails.'] },
  ]
  const { text, locators } = await read('a.pptx', pptxOf(slides))
  expect(text).toBe('## Winter\n\n- The night ferry rests.\n\nSay why.\n\n## Spring\n\n- It sails.')
  expect(locators).toEqual(['slide 1', 'slide 2'])
})

describe('tables', () => {
  it('workbook rows have column names, types and locators; other lines are text', async () => {
    const sheets = {
      Orders: [
        cells('All orders of 2026'),
        cells('Order', 'Price', 'Sent'),
        cells('O-1', 12.5, { days: 46082 }),
        cells('O-2', 8, null),
      ],
      'Second sheet': [cells('Only words here')],
    }
    const { text, items, rows } = await read('a.xlsx', xlsxOf(sheets))
    expect(rows).toEqual([
      { Order: 'O-1', Price: 12.5, Sent: '2026-03-01' },
      { Order: 'O-2', Price: 8 },
    ])
    expect(items.find((item) => item.kind === 'row')).toMatchObject({
      table: 'Orders',
      row: 3,
      locator: 'Orders!A3:C3',
    })
    expect(text).toContain('All orders of 2026')
    expect(text).toContain('Only words here')
  })

  it('a CSV is read with its own delimiter, typed numbers and dates, and quoted cells', async () => {
    const { rows } = await read('invoices.csv', ROWS)
    expect(rows).toEqual([
      { Invoice: 'A-1', Customer: 'Harbour AS', Amount: 1200.5, Due: '2026-03-31' },
      { Invoice: 'A-2', Customer: 'Lima; Ltd', Amount: 340, Due: '2026-04-01' },
    ])
  })

  it('a number with leading zeros and an ambiguous date stay text', async () => {
    const { rows } = await read('a.csv', 'Zip,Day\n01234,02/03/2026\n04321,04/05/2026\n')
    expect(rows[0]).toEqual({ Zip: '01234', Day: '02/03/2026' })
  })
})

it('a saved page is reduced to its article, with title, author and date', async () => {
  const paragraphs = Array.from(
    { length: 8 },
    (_, at) =>
      `<p>The harbour was closed on day ${at} of the storm, and nobody sailed, said the master of the port.</p>`,
  )
  const page =
    '<html><head><title>Storm – The Gazette</title><meta name="author" content="Ana Lima">' +
    '<meta property="article:published_time" content="2026-03-01"></head>' +
    `<body><nav><a href="/">Home</a> Subscribe</nav><article><h1>Storm</h1>${paragraphs.join('')}</article>` +
    '<footer>Imprint</footer></body></html>'
  const { head, text } = await read('a.html', page)
  expect(head).toMatchObject({ title: 'Storm – The Gazette', authors: [{ name: 'Ana Lima' }], at: '2026-03-01' })
  expect(text).toContain('closed on day 7')
  expect(text).not.toMatch(/Subscribe|Imprint/)
})

it('a calendar has events with times and people, an address book people with identifiers', async () => {
  const event =
    'BEGIN:VEVENT\nUID:1@x\nSUMMARY:Standup\nDTSTART;TZID=Europe/Berlin:20260302T100000\n' +
    'DTEND:20260302T093000Z\nORGANIZER;CN=Ana Lima:mailto:ana@x.example\nATTENDEE:mailto:ben@x.example\n' +
    'RRULE:FREQ=WEEKLY\nEND:VEVENT'
  const { items } = await read('a.ics', `BEGIN:VCALENDAR\nVERSION:2.0\n${event}\nEND:VCALENDAR\n`)
  expect(items[1]).toMatchObject({
    title: 'Standup',
    start: '2026-03-02T09:00:00.000Z',
    organiser: { name: 'Ana Lima', emails: ['ana@x.example'] },
    properties: { repeats: 'FREQ=WEEKLY', time_zone: 'Europe/Berlin' },
  })
  const card =
    'BEGIN:VCARD\nVERSION:3.0\nFN:Ana Lima\nN:Lima;Ana;;;\nEMAIL;TYPE=work:Ana@x.example\n' +
    'TEL:+45 1234\nORG:Harbour AS\nEND:VCARD\n'
  expect((await read('a.vcf', card)).items[1]).toMatchObject({
    name: 'Ana Lima',
    emails: ['ana@x.example'],
    phones: ['+45 1234'],
    organisation: 'Harbour AS',
  })
})

it('times of a calendar follow the zones that it defines, and the clock changes of named zones', async () => {
  const change = (kind: string, at: string, from: string, to: string, rule: string) =>
    `BEGIN:${kind}\nDTSTART:${at}\nTZOFFSETFROM:${from}\nTZOFFSETTO:${to}\nRRULE:${rule}\nEND:${kind}\n`
  const zone =
    'BEGIN:VTIMEZONE\nTZID:W. Europe Standard Time\n' +
    change('STANDARD', '16010101T030000', '+0200', '+0100', 'FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10') +
    change('DAYLIGHT', '16010101T020000', '+0100', '+0200', 'FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3') +
    'END:VTIMEZONE\n'
  const event = (tzid: string, at: string) =>
    `BEGIN:VEVENT\nUID:${tzid}${at}\nSUMMARY:Tide\nDTSTART;TZID=${tzid}:${at}\nEND:VEVENT\n`
  const events = [
    event('W. Europe Standard Time', '20260302T100000'),
    event('W. Europe Standard Time', '20260702T100000'),
    // The clocks of New York go forward on this day at 02:00, which is 07:00 UTC.
    event('America/New_York', '20260308T030000'),
    event('Nowhere', '20260302T100000'),
  ]
  const { items } = await read('a.ics', `BEGIN:VCALENDAR\nVERSION:2.0\n${zone}${events.join('')}END:VCALENDAR\n`)
  expect(items.slice(1).map((item) => item.kind === 'event' && item.start)).toEqual([
    '2026-03-02T09:00:00.000Z',
    '2026-07-02T08:00:00.000Z',
    '2026-03-08T07:00:00.000Z',
    '2026-03-02T10:00:00.000Z',
  ])
})

it('a long text is split into parts without loss', async () => {
  const words = Array.from({ length: 120_000 }, (_, at) => `w${at}`)
  const parts = (await itemsOf('a.txt', words.join(' '))).filter((item) => item.kind === 'part')
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.flatMap(({ text }) => text.split(/\s+/))).toEqual(words)
})

it('every file of an archive is read, and an unreadable one is reported with its reason', async () => {
  const inner = zipOf([{ name: 'deep.txt', content: 'The quay.' }])
  const items = await itemsOf(
    'a.zip',
    zipOf([
      { name: 'b.csv', content: ROWS },
      { name: 'c.zip', content: inner },
      { name: 'd.pdf', content: '%PDF-1.4 cut' },
    ]),
  )
  expect(items.flatMap((item) => (item.kind === 'head' && item.format !== 'zip' ? [item.within] : []))).toEqual([
    ['b.csv'],
    ['c.zip', 'deep.txt'],
  ])
  expect(items.at(-1)).toMatchObject({ kind: 'left_out', within: ['d.pdf'], reason: 'file_damaged' })
})
