import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { connectorFor } from './connector-for.ts'

const PROVIDERS = ['github', 'slack', 'linear', 'gitlab', 'jira', 'email', 'json', 'something-else']
const settings = { config: {}, accountId: null }

/** Payloads with field names that providers use and values that they never send. */
const NAMES = [
  ...['action', 'issue', 'comment', 'pull_request', 'repository', 'full_name', 'number', 'id', 'title', 'body', 'user'],
  ...[
    'event',
    'type',
    'channel',
    'ts',
    'text',
    'message',
    'data',
    'object_kind',
    'object_attributes',
    'project',
    'iid',
  ],
  ...['webhookEvent', 'fields', 'summary', 'description', 'labels', 'commits', 'author', 'blocks', 'raw', 'records'],
]
const payload = fc.letrec<{ value: unknown; object: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('issues', 'message', 'Issue', 'note', 'jira:issue_updated', 'opened', 'deleted', '2026-05-04', ''),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.constantFrom(null, true, undefined),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 8 }),
})).object

const headers = fc.record({ 'x-github-event': fc.constantFrom('issues', 'push', 'pull_request', 'gollum', undefined) })

describe.each(PROVIDERS)('the connector for %s', (provider) => {
  it('returns records or a reason for any input, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(payload, headers, async (body, sent) => {
        const { records, ignored } = await connectorFor(provider).map({ headers: sent, body, settings })
        expect(records.length > 0 || ignored !== undefined).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it('returns the same result for the same input', async () => {
    await fc.assert(
      fc.asyncProperty(payload, headers, async (body, sent) => {
        const once = await connectorFor(provider).map({ headers: sent, body, settings })
        const again = await connectorFor(provider).map({ headers: sent, body: structuredClone(body), settings })
        expect(again).toEqual(once)
      }),
      { numRuns: 50 },
    )
  })
})

test('GitLab: an issue keeps its author when another user edits it', async () => {
  const project = { path_with_namespace: 'acme/api', web_url: 'https://gitlab.example/acme/api' }
  const item = { id: 5, iid: 9, title: 'Keys', author_id: 41, state: 'opened', updated_at: '2026-05-04 10:00:00 UTC' }
  const body = {
    object_kind: 'issue',
    project,
    user: { id: 7, name: 'Editor', username: 'ed' },
    object_attributes: item,
  }
  const { records } = await connectorFor('gitlab').map({ headers: {}, body, settings })
  expect(records).toMatchObject([
    { external_id: 'issue/acme/api#9', as_of: '2026-05-04T10:00:00.000Z', author: { identifiers: { id: '41' } } },
  ])
})

test('Jira: documents and wiki markup become text, and a comment sent with its issue becomes a record', async () => {
  const nodes = [
    { type: 'text', text: 'Ask ' },
    { type: 'mention', attrs: { id: '5c5f880629be9642ba529340', text: '@Yuki' } },
    { type: 'text', text: ' about it.' },
  ]
  const description = { type: 'doc', content: [{ type: 'paragraph', content: nodes }] }
  const fields = {
    summary: 'Keys',
    description,
    reporter: { displayName: 'Priya', accountId: 'a1' },
    status: { name: 'Open' },
  }
  const self = 'https://acme.atlassian.net/rest/api/2/issue/7'
  const comment = { id: '3', body: 'h1. Plan\n*Soon* [docs|https://d.example]', author: { displayName: 'Yuki' } }
  const body = { webhookEvent: 'jira:issue_updated', issue: { id: '7', self, key: 'NOR-7', fields }, comment }
  const { records } = await connectorFor('jira').map({ headers: {}, body, settings })
  expect(records).toMatchObject([
    { external_id: 'issue/7', text: 'Ask @Yuki about it.', url: 'https://acme.atlassian.net/browse/NOR-7' },
    { external_id: 'comment/3', text: 'Plan\nSoon docs (https://d.example)', author: { name: 'Yuki' } },
  ])
})

test('e-mail: a reply is in its thread, and an HTML-only mail is read as text', async () => {
  const raw = [
    'From: =?utf-8?Q?Dvo=C5=99=C3=A1k=2C_Marek?= <Marek@acme.example>',
    'To: Fatima <fatima@acme.example>, ops@acme.example',
    'Subject: Re: Launch',
    'Date: Mon, 4 May 2026 12:00:00 +0200',
    'Message-ID: <two@acme.example>',
    'In-Reply-To: <one@acme.example>',
    'References: <root@acme.example> <one@acme.example>',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>It <b>moved</b> to <a href="https://d.example/plan">the plan</a>.</p>',
  ].join('\r\n')
  const { records } = await connectorFor('email').map({ headers: {}, body: Buffer.from(raw), settings })
  expect(records).toMatchObject([
    {
      external_id: 'email/two@acme.example',
      title: 'Re: Launch',
      text: 'It moved to the plan [https://d.example/plan].',
      occurred_at: '2026-05-04T10:00:00.000Z',
      author: { name: 'Dvořák, Marek', identifiers: { email: 'marek@acme.example' } },
      participants: [{ name: 'Fatima' }, { name: 'ops@acme.example' }],
      properties: { thread: 'root@acme.example', reply_to: 'email/one@acme.example' },
    },
  ])
})

test('e-mail: attached texts and invitations are read, and other files are listed by name', async () => {
  const part = (type: string, name: string, content: string) =>
    ['--b', `Content-Type: ${type}; name=${name}`, 'Content-Disposition: attachment', '', content].join('\r\n')
  const event = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'SUMMARY:Key rotation\\, part 2', 'DTSTART:20260504T100000Z']
  const raw = [
    'From: ops@acme.example',
    'Message-ID: <three@acme.example>',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ['--b', 'Content-Type: text/plain', '', 'See below.'].join('\r\n'),
    part('text/plain', 'notes.txt', 'Keys are rotated on Mondays.'),
    part('text/calendar', 'invite.ics', [...event, 'LOCATION:Quay 4', 'END:VEVENT', 'END:VCALENDAR'].join('\r\n')),
    part('application/pdf', 'plan.pdf', '%PDF'),
    '--b--',
  ].join('\r\n')
  const { records } = await connectorFor('email').map({ headers: {}, body: Buffer.from(raw), settings })
  const text = records[0]?.text ?? ''
  expect(text).toContain('See below.')
  expect(text).toContain('Keys are rotated on Mondays.')
  expect(text).toContain('Invitation: Key rotation, part 2\nFrom: 2026-05-04 10:00 UTC\nWhere: Quay 4')
  expect(text).not.toContain('%PDF')
  expect(records[0]?.properties?.files).toContain('plan.pdf')
})

test('e-mail: a mail that a mail service sends as parsed fields is reassembled', async () => {
  const postmark = {
    From: 'Fatima <fatima@acme.example>',
    To: 'ops@acme.example',
    Subject: 'Launch',
    TextBody: 'It is on 3 June.',
    MessageID: 'a-guid-of-the-service',
    Date: 'Mon, 4 May 2026 12:00:00 +0200',
    Headers: [
      { Name: 'Message-ID', Value: '<four@acme.example>' },
      { Name: 'In-Reply-To', Value: '<root@acme.example>' },
    ],
  }
  const mailgun = {
    from: 'Fatima <fatima@acme.example>',
    recipient: 'ops@acme.example',
    subject: 'Launch',
    'body-plain': 'It is on 3 June.',
    'Message-Id': '<four@acme.example>',
    'In-Reply-To': '<root@acme.example>',
    Date: 'Mon, 4 May 2026 12:00:00 +0200',
  }
  const sendgrid = {
    from: 'Fatima <fatima@acme.example>',
    to: 'ops@acme.example',
    subject: 'Launch',
    text: 'It is on 3 June.',
    headers: 'Message-ID: <four@acme.example>\nIn-Reply-To: <root@acme.example>\nDate: Mon, 4 May 2026 12:00:00 +0200',
  }
  for (const body of [postmark, mailgun, sendgrid]) {
    const { records } = await connectorFor('email').map({ headers: {}, body, settings })
    expect(records).toMatchObject([
      {
        external_id: 'email/four@acme.example',
        type: 'email',
        title: 'Launch',
        text: 'It is on 3 June.',
        occurred_at: '2026-05-04T10:00:00.000Z',
        author: { name: 'Fatima', identifiers: { email: 'fatima@acme.example' } },
        participants: [{ name: 'ops@acme.example' }],
        properties: { thread: 'root@acme.example', reply_to: 'email/root@acme.example' },
      },
    ])
  }
})
