import { describe, expect, it } from 'vitest'
import { github } from './github.ts'

const repository = { id: 77, name: 'api', full_name: 'acme/api', html_url: 'https://github.com/acme/api' }
const priya = { login: 'praman', id: 1, type: 'User', html_url: 'https://github.com/praman' }
const yuki = { login: 'ytanabe', id: 2, type: 'User', html_url: 'https://github.com/ytanabe' }

async function mapEvent(event: string, payload: object) {
  const headers = { 'x-github-event': event }
  return github.map({
    headers,
    body: { repository, sender: priya, ...payload },
    settings: { config: {}, accountId: null },
  })
}

const pull = {
  number: 12,
  title: 'Rotate the keys',
  html_url: 'https://github.com/acme/api/pull/12',
  state: 'closed',
  user: yuki,
  body: 'Fixes #9 and #10, closes NOR-139.\n<!-- template -->\ncc @praman, not `@code`',
  labels: [{ name: 'area: billing' }, { name: 'bug' }],
  assignees: [yuki],
  requested_reviewers: [priya],
  merged_at: '2026-05-04T12:00:00Z',
  merged_by: priya,
  created_at: '2026-05-04T10:00:00Z',
  updated_at: '2026-05-04T12:00:00Z',
  head: { ref: 'yuki/nor-158-keys', sha: 'abc' },
  base: { ref: 'main' },
}

describe('GitHub', () => {
  it('a pull request has author, reviewers, closed issues and its merge', async () => {
    const { event, records } = await mapEvent('pull_request', { action: 'closed', pull_request: pull })
    expect(event).toBe('pull_request.closed')
    const [record] = records
    expect(record).toMatchObject({
      external_id: 'pull/acme/api#12',
      type: 'pull_request',
      title: 'Rotate the keys',
      text: 'Fixes #9 and #10, closes NOR-139.\n\ncc @praman, not `@code`',
      occurred_at: '2026-05-04T10:00:00.000Z',
      as_of: '2026-05-04T12:00:00.000Z',
      author: { type: 'person', name: 'ytanabe', identifiers: { login: 'ytanabe' } },
      properties: { state: 'merged', branch: 'yuki/nor-158-keys', labels: ['area: billing', 'bug'] },
    })
    const relations = record?.relations?.map(({ predicate, object }) => [predicate, (object as { name: string }).name])
    expect(relations).toEqual([
      ['part_of', 'acme/api'],
      ['assigned_to', 'ytanabe'],
      ['review_requested_from', 'praman'],
      ['closes', 'acme/api#9'],
      ['closes', 'acme/api#10'],
      ['closes', 'NOR-139'],
      ['merged_by', 'praman'],
    ])
    const names = record?.entities?.map(({ type, name }) => `${type} ${name}`)
    expect(names).toEqual(expect.arrayContaining(['issue NOR-158', 'topic billing', 'repository acme/api']))
    expect(names).not.toContain('topic bug')
  })

  it('an issue has the same external id in every event', async () => {
    const issue = {
      number: 9,
      title: 'Keys expire',
      html_url: 'https://github.com/acme/api/issues/9',
      user: priya,
      state: 'open',
    }
    const comment = {
      id: 5,
      body: 'Seen too.',
      user: yuki,
      html_url: 'https://github.com/acme/api/issues/9#issuecomment-5',
    }
    const opened = await mapEvent('issues', { action: 'opened', issue })
    const commented = await mapEvent('issue_comment', { action: 'created', issue, comment })
    expect(opened.records.map((one) => one.external_id)).toEqual(['issue/acme/api#9'])
    expect(commented.records.map((one) => one.external_id)).toEqual(['comment/acme/api/5', 'issue/acme/api#9'])
    expect(commented.records[1]).toEqual(opened.records[0])
    const gone = await mapEvent('issue_comment', { action: 'deleted', issue, comment })
    expect(gone.records[0]).toMatchObject({ external_id: 'comment/acme/api/5', deleted: true })
  })

  it('a comment on a pull request refers to the pull request', async () => {
    const issue = {
      number: 12,
      title: 'x',
      html_url: 'https://github.com/acme/api/pull/12',
      pull_request: { url: 'y' },
    }
    const comment = { id: 6, body: 'Nice.', user: yuki }
    const { records } = await mapEvent('issue_comment', { action: 'created', issue, comment })
    expect(records).toHaveLength(1)
    expect(records[0]?.entities?.[0]).toMatchObject({ type: 'pull_request', name: 'acme/api#12' })
  })

  it('a transferred issue is withdrawn from its old repository', async () => {
    const issue = { number: 9, title: 'Keys', html_url: 'https://github.com/acme/api/issues/9' }
    const there = { full_name: 'acme/auth', html_url: 'https://github.com/acme/auth', name: 'auth' }
    const changes = { new_issue: { ...issue, number: 3 }, new_repository: there }
    const { records } = await mapEvent('issues', { action: 'transferred', issue, changes })
    expect(records).toMatchObject([
      { external_id: 'issue/acme/api#9', deleted: true },
      { external_id: 'issue/acme/auth#3', title: 'Keys' },
    ])
  })

  it('a push becomes its commits, with the author’s email and login', async () => {
    const author = { name: 'Yuki Tanabe', email: 'yuki@acme.example', username: 'ytanabe' }
    const commit = {
      id: 'f'.repeat(40),
      message: 'Rotate\n\nCloses #9',
      timestamp: '2026-05-04T12:00:00+02:00',
      author,
    }
    const { records } = await mapEvent('push', { ref: 'refs/heads/main', commits: [commit], pusher: { name: 'x' } })
    expect(records).toMatchObject([
      {
        external_id: `commit/acme/api@${'f'.repeat(40)}`,
        title: 'Rotate',
        occurred_at: '2026-05-04T10:00:00.000Z',
        author: { name: 'Yuki Tanabe', identifiers: { email: 'yuki@acme.example', login: 'ytanabe' } },
        properties: { branch: 'main' },
      },
    ])
    const hidden = { ...author, email: '1+ytanabe@users.noreply.github.com' }
    const private_ = await mapEvent('push', { commits: [{ ...commit, author: hidden }], pusher: {} })
    expect(private_.records[0]?.author).not.toHaveProperty('identifiers.email')
  })

  it('ignored and unknown events have different reasons, and no error', async () => {
    expect(await mapEvent('star', { action: 'created' })).toMatchObject({ records: [], ignored: 'no_knowledge' })
    expect(await mapEvent('ping', { zen: 'x' })).toMatchObject({ records: [], ignored: 'handshake' })
    expect(await mapEvent('next_big_thing', {})).toMatchObject({ records: [], ignored: 'unknown_event' })
    expect(await mapEvent('issues', { action: 'opened' })).toMatchObject({ records: [], ignored: 'incomplete' })
  })

  it('a signature is valid only for its body and secret', () => {
    const body = Buffer.from('Hello, World!')
    // Example from GitHub's documentation.
    const signed = { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' }
    const secret = "It's a Secret to Everybody"
    expect(github.signature?.verify(secret, signed, body, 0)).toBe(true)
    expect(github.signature?.verify('other', signed, body, 0)).toBe(false)
    expect(github.signature?.verify(secret, signed, Buffer.from('Hello, World?'), 0)).toBe(false)
    expect(github.signature?.verify(secret, { 'x-hub-signature-256': 'sha256=' }, body, 0)).toBe(false)
  })
})

it('a renamed account stays the same person, by its id', async () => {
  const payload = {
    action: 'member_renamed',
    changes: { login: { from: 'praman' } },
    membership: { user: { login: 'priya-r', id: 7, type: 'User' } },
  }
  const { records } = await mapEvent('organization', payload)
  expect(records[0]).toMatchObject({
    external_id: 'account/7',
    type: 'person',
    entities: [{ name: 'priya-r', identifiers: { id: '7', login: ['priya-r', 'praman'] } }],
  })
})

it('a commit with a noreply address is attributed to its account', async () => {
  const author = { name: 'Priya', email: '7+praman@users.noreply.github.com' }
  const commit = { id: 'abc', message: 'Fix', timestamp: '2026-05-04T07:46:00Z', author, committer: author }
  const { records } = await mapEvent('push', { ref: 'refs/heads/main', commits: [commit], head_commit: commit })
  expect(records[0]?.author).toMatchObject({ name: 'Priya', identifiers: { login: 'praman', id: '7' } })
  expect(JSON.stringify(records)).not.toContain('noreply')
})
