import { describe, expect, it } from 'vitest'
import { connectorFor } from '../../../packages/server/src/sources/connectors/connector-for.ts'
import { htmlText, mailRecords } from '../../../packages/server/src/sources/connectors/email/map-mail.ts'
import { isMbox, readMbox } from '../../../packages/server/src/sources/connectors/email/read-mbox.ts'
import { readJson } from '../../../packages/server/src/sources/connectors/exports.ts'
import { documentRecord } from '../../../packages/server/src/sources/connectors/markdown/read-markdown.ts'

/** Number of repetitions that makes superlinear parsing exceed the test timeout, while linear parsing takes seconds. */
const OFTEN = 40
const CHARS = 64_000

/**
 * Fragments that, repeated, leave constructs unclosed, nest, or make a regular expression backtrack from every
 * position.
 */
const PIECES = [
  ...[
    '<',
    '<a ',
    '<a href="',
    '<!--',
    '</',
    '&',
    '&#',
    '"',
    '\\"',
    '(',
    '()',
    ',',
    ';',
    ':',
    '<>',
    '<<',
    '[',
    '](',
    '![',
    '*',
  ],
  ...['=?', '=?utf-8?q?a?= ', '=?utf-8?b?YQ==?=', '=?utf-8?q?=41?=\r\n ', '=', '=4', '=\r\n', '%', 'a*0*=b;', 'a=b;'],
  ...[' ', '\t', '\n', '\r', '\r\n ', '\0', '\ud800', '\u2028', '--b\r\n', '> ', '- ', '  - ', '|', '# ', '`', '```\n'],
  ...[
    'a@b,',
    '<a@b>',
    'a:b;',
    'a b ',
    'a',
    '{',
    '- - ',
    '? ',
    '!!a ',
    '&a ',
    '*a ',
    "'",
    'a: b\n',
    '*',
    '**',
    '_',
    '~~~\n',
  ],
]
const long = (piece: string, chars = CHARS) => piece.repeat(Math.floor(chars / piece.length))

const HEAD = 'Message-ID: <a@b>\r\nFrom: a@b.example\r\n'
const part = (type: string, said: string) =>
  `${HEAD}Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: ${type}\r\n\r\n${said}\r\n--b--`

/** Returns a mail with a hostile text in each place that its sender controls. */
const MAILS: Record<string, (said: string) => string> = {
  'its lines of headers': (said) => `${HEAD}${said}\r\n\r\nHi`,
  'its subject': (said) => `${HEAD}Subject: ${said}\r\n\r\nHi`,
  'its addresses': (said) => `Message-ID: <a@b>\r\nFrom: ${said}\r\nTo: ${said}\r\n\r\nHi`,
  'its ids': (said) => `Message-ID: ${said}\r\nReferences: ${said}\r\nIn-Reply-To: ${said}\r\n\r\nHi`,
  'its date and list': (said) => `${HEAD}Date: ${said}\r\nList-Id: ${said}\r\n\r\nHi`,
  'its type': (said) => `${HEAD}Content-Type: text/plain; charset="${said}"; name=${said}\r\n\r\nHi`,
  'with a boundary': (said) => `${HEAD}Content-Type: multipart/mixed; boundary="${said}"\r\n\r\n--${said}\r\n\r\nHi`,
  'its encoding': (said) => `${HEAD}Content-Transfer-Encoding: ${said}\r\n\r\nHi`,
  'its text': (said) => `${HEAD}Content-Type: text/plain; format=flowed\r\n\r\n${said}`,
  'its encoded text': (said) => `${HEAD}Content-Transfer-Encoding: quoted-printable\r\n\r\n${said}`,
  'its page': (said) => `${HEAD}Content-Type: text/html\r\n\r\n${said}`,
  'its invitation': (said) => part('text/calendar', `BEGIN:VEVENT\r\nSUMMARY;${said}\r\nEND:VEVENT`),
  'a mail within': (said) => part('message/rfc822', `Subject: ${said}\r\n\r\n${said}`),
}

describe.each(Object.entries(MAILS))('hostile mails, by %s', (_, mailOf) => {
  it('are parsed in time', async () => {
    for (const piece of PIECES) {
      expect((await mailRecords(mailOf(long(piece))))[0].type).toBe('email')
    }
  })
})

describe('hostile pages', () => {
  const TAGS = ['a', 'b', 'div', 'h1', 'ul><li', 'table><tr><td', 'form', 'p><div', 'a></b', 'blockquote', 'svg><g']

  it('with unclosed elements are parsed in time', () => {
    for (const tag of TAGS) {
      for (let times = 0; times < OFTEN / 4; times += 1) {
        expect(htmlText(`First. ${long(`<${tag}>`, 2 ** 19)}`)).toContain('First.')
      }
    }
  })

  it('are parsed to their end if elements are closed, and void elements have no content', () => {
    const rows = long('<tr><td>a<td><b>b</b><br>', 200_000)
    expect(htmlText(`<table>${rows}</table><p>one<p>two<ul>${long('<li>item', 20_000)}</ul><p>Last.`)).toContain(
      'Last.',
    )
  })
})

describe('hostile mailboxes', () => {
  const read = async (text: string) => {
    const records = []
    const bytes = Buffer.from(text)
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += 2 ** 16) yield bytes.subarray(at, at + 2 ** 16)
    }
    for await (const item of readMbox(chunks()))
      if (!('expected' in item)) records.push('record' in item ? item.record.text : item.error)
    return records
  }

  it('of only line breaks are parsed in time, each mail up to a limit', async () => {
    const empty = `From a 2020\n${HEAD}\nFirst.\n${long('\n', 2 ** 24)}Last.\n`
    expect(await read(`${empty}From b 2020\n${HEAD}\nNext.\n`)).toEqual(['First.', 'Next.'])
  })

  it('are distinguished from other files in time', () => {
    for (let times = 0; times < OFTEN; times += 1) expect(isMbox(Buffer.from(`From ${long('a', 2 ** 17)}`))).toBe(false)
  })

  it('with long attachments lose none of the other content', async () => {
    const head =
      '--b\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment'
    const file = (name: string, lines: number) =>
      `${head}; filename="${name}"\n\n${`${'YWFh'.repeat(19)}\n`.repeat(lines)}`
    const parts = [file('a.pdf', 100_000), file('b.pdf', 100_000), '--b\nContent-Type: text/plain\n\nLast.\n--b--\n']
    const mail = `${HEAD}Content-Type: multipart/mixed; boundary="b"\n\n${parts.join('')}`
    const [{ text, properties }] = await mailRecords(mail)
    expect(text).toContain('Last.')
    expect(properties?.files).toEqual(['a.pdf', 'b.pdf'])
  })
})

describe('hostile documents', () => {
  const documented = (said: string) => documentRecord(said, 'a/b.md', 'scope', new Map())

  it('are parsed in time, whatever their text contains', () => {
    for (const piece of [...PIECES, '\u2028# a  ', `# ${' '.repeat(480)}\u2028\n`]) {
      expect(documented(`# Plan\n${long(piece, 2 ** 20)}`).title).toBe('Plan')
    }
  })

  it('are parsed in time, whatever precedes their text', () => {
    for (const piece of PIECES) {
      for (const matter of [
        long(piece),
        `author: "${long(piece)}"`,
        `tags: "a ${long(piece)}"`,
        `title: ${long(piece)}`,
      ]) {
        expect(documented(`---\n${matter}\n---\nText`).text).toContain('Text')
      }
    }
  })

  it('with endlessly nested front matter are parsed as text, without a crash', () => {
    const nested = ['[', '{a: ', '- ', '? ', '- ? ', '[{a: ', '["]", ', '- [', '&a [', '!!a ['].map((piece) =>
      long(piece),
    )
    const stairs = Array.from({ length: 350 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')
    for (const matter of [...nested, stairs]) {
      expect(documented(`---\n${matter}\n---\nText`).text).toContain(matter.slice(0, 50).trim())
    }
    const usual = `title: Plan\nup: ["[[Notes]]"]\nlist:\n${'  - {a: b}\n'.repeat(100)}`
    expect(documented(`---\n${usual}---\nText`)).toMatchObject({ title: 'Plan', text: 'Text' })
  })

  it('have the heading of their first line', () => {
    const headings = ['# Plan', '#  Plan ##', '# Plan #', '# Learn C#', '# # Plan', '#\tPlan'].map(
      (line) => documented(line).title,
    )
    expect(headings).toEqual(['Plan', 'Plan', 'Plan', 'Learn C#', '# Plan', 'Plan'])
  })
})

describe('hostile exports', () => {
  const many = 60_000
  const ids = Array.from({ length: many }, (_, at) => `n${at}`)
  const count = (format: 'graphiti' | 'cognee' | 'mem0', value: unknown) => {
    let records = 0
    for (const item of readJson(format, value)) if ('record' in item) records += 1
    return records
  }

  it('of Graphiti are parsed in time: many facts between many nodes', () => {
    const nodes = ids.map((uuid) => ({ uuid, name: uuid }))
    const edges = ids.map((uuid) => ({
      uuid: `e${uuid}`,
      fact: 'A fact.',
      source_node_uuid: uuid,
      target_node_uuid: 'n0',
    }))
    for (let times = 0; times < OFTEN / 4; times += 1) expect(count('graphiti', { nodes, edges })).toBe(2 * many)
  })

  it('of Cognee are parsed in time: many nodes of one id with many edges', () => {
    const nodes = ids.map(() => ({ id: 'a', type: 'DocumentChunk', text: 'Said.' }))
    const edges = ids.map(() => ({ source: 'a', target: 'a', label: 'contains' }))
    expect(count('cognee', { nodes, edges })).toBe(1)
  })

  it('with property names of Object.prototype are parsed like any other', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const node = { id: 'a', type: name, name: 'Thing' }
      expect([...readJson('cognee', { nodes: [node], edges: [] })]).toMatchObject([{ record: { title: 'Thing' } }])
      const episode = { uuid: 'a', name: 'Talk', content: 'Said.', source: name }
      expect([...readJson('graphiti', { nodes: [episode] })]).toMatchObject([{ record: { type: 'document' } }])
    }
  })
})

it('a Slack message with too many blocks is parsed in time', async () => {
  const blocks = ids(20_000).map((id) => ({ type: 'section', text: { type: 'mrkdwn', text: `ab${id}` } }))
  const event = { type: 'message', channel: 'C', ts: '1777888800.1', user: 'U', text: long('ab ', 200_000), blocks }
  for (let times = 0; times < OFTEN; times += 1) {
    const body = { type: 'event_callback', team_id: 'T', event }
    const { records } = await connectorFor('slack').map({
      headers: {},
      body,
      settings: { config: {}, accountId: null },
    })
    expect(records).toHaveLength(1)
  }
})

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, at) => String(at))
}
