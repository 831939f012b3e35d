import { describe, expect, it } from 'vitest'
import { CONNECTORS, connectorFor } from '../../../packages/server/src/sources/connectors/connector-for.ts'

/** Length that makes quadratic scanning take minutes. */
const CHARS = 100_000

/** Fragments that, repeated, make an ambiguous regular expression backtrack from every position. */
const PIECES = [
  ...['[~', '[a|', '[http://', '[mailto:', '{code:', '!a.b', ' -a', ' *a', ' _a', '~a ', '*a ', 'id=1,', 'h1. ', '{{'],
  ...['<@', '<#a|', '<!', '<a ', '<!--', '`', '```', '`a\n', '@a-', '@', '@.', '#', '/', ' ', '\t', '\n', '\r', ' \n'],
  ...['fixes ', 'fixes #1,', 'closes https://a/', 'a/', '.a', 'co-authored-by: ', 'co-authored-by: a ', '/issue/A'],
  ...['From:\n', 'From: a\r\n', '"', '<', '>', 'BEGIN:VEVENT\n', '=?utf-8?q?', '--b\r\n', '&lt;', '\\n', '+', '-', '0'],
]
const TEXTS = PIECES.flatMap((piece) => {
  const long = piece.repeat(Math.floor(CHARS / piece.length))
  return [`a@${long} \n`, `greenhopper.service.sprint.Sprint@1[${long}`]
})

/** Events in each provider's format with the hostile text in every field that is read. */
const EVENTS: Record<string, (said: string) => [body: unknown, event?: string][]> = {
  github: (said) => {
    const person = { login: said, email: said, name: said }
    const item = { number: 1, title: said, body: said, html_url: said, user: person, labels: [{ name: said }] }
    const repository = { full_name: said, html_url: said }
    const commit = { id: 'a', message: said, url: said, author: person, committer: person }
    return [
      [{ action: 'opened', issue: { ...item, created_at: said }, repository }, 'issues'],
      [{ action: 'opened', pull_request: { ...item, head: { ref: said } }, repository }, 'pull_request'],
      [{ commits: [commit], repository, ref: said }, 'push'],
      [{ action: 'sub_issue_added', sub_issue: { number: 1, repository_url: said }, parent_issue: item }, 'sub_issues'],
    ]
  },
  slack: (said) => {
    const block = { type: 'section', text: { type: 'mrkdwn', text: said } }
    const message = { type: 'message', channel: 'C', ts: '1777888800.1', user: 'U' }
    return [
      [{ type: 'event_callback', event: { ...message, text: said, blocks: [block] } }],
      [{ type: 'event_callback', event: { ...message, files: [{ title: said, preview: said }] } }],
    ]
  },
  linear: (said) => {
    const user = { id: 'u', name: said, email: said }
    const data = { id: 'i', title: said, description: said, body: said, url: said, creator: user, user, botActor: said }
    return ['Issue', 'Comment', 'Document'].map((type) => [{ type, action: 'create', url: said, data }])
  },
  gitlab: (said) => {
    const user = { id: 1, name: said, email: said }
    const item = { id: 1, iid: 1, title: said, description: said, note: said, url: said, source_branch: said }
    const kinds = ['issue', 'merge_request', 'note', 'vulnerability', 'push']
    return kinds.map((kind) => [
      { object_kind: kind, user, object_attributes: item, project_name: said, commits: [{ id: 'a', message: said }] },
    ])
  },
  jira: (said) => {
    const person = { displayName: said, emailAddress: said, accountId: 'a' }
    const fields = { summary: said, description: said, customfield_1: [said], reporter: person, environment: said }
    const issue = { id: '1', key: 'A-1', self: said, fields }
    return [
      [{ webhookEvent: 'jira:issue_updated', issue, comment: { id: '1', body: said, author: person } }],
      [
        {
          webhookEvent: 'issuelink_created',
          issueLink: { id: 1, sourceIssueId: 1, destinationIssueId: 2, name: said },
        },
      ],
    ]
  },
  email: (said) => [[{ from: said, to: said, subject: said, text: said, headers: said }]],
  json: (said) => [[{ id: 'a', title: said, text: said, author: said, url: said, created_at: said }]],
}

/** A regular expression with superlinear time exceeds the test timeout on these texts. */
describe.each(CONNECTORS.filter(({ providers: [name = ''] }) => EVENTS[name]))(
  'hostile texts of $providers.0',
  (one) => {
    it('are parsed in time', async () => {
      const [name = ''] = one.providers
      for (const said of TEXTS) {
        for (const [body, event] of EVENTS[name]!(said)) {
          const headers = event ? { 'x-github-event': event } : {}
          const { records } = await one.map({ headers, body, settings: { config: {}, accountId: null } })
          expect(records.length).toBeLessThan(10)
        }
      }
    })
  },
)

it('a mail with many lines or parts is parsed up to a limit', async () => {
  const head = 'Message-ID: <a@b>\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n'
  const part = (said: string) => `--b\r\nContent-Type: text/plain\r\n\r\n${said}\r\n`
  for (const piece of ['\n', '--b\r\n']) {
    const raw = `${head}${part('First.')}${piece.repeat(60_000)}${part('Last.')}--b--`
    const { records } = await connectorFor('email').map({
      headers: {},
      body: Buffer.from(raw),
      settings: { config: {}, accountId: null },
    })
    expect(records).toMatchObject([{ external_id: 'email/a@b' }])
    expect(records[0]?.text).toContain('First.')
    expect(records[0]?.text).not.toContain('Last.')
  }
})
