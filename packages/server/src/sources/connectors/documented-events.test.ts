import { describe, expect, it } from 'vitest'
import { mapped, mappedFromGithub, SENDER } from '../../../../../tests/harness/provider-event.ts'

const AT = '2026-05-04T10:00:00Z'
const issue = (number: number, title: string, repo = 'acme/api') => ({
  number,
  title,
  html_url: `https://github.com/${repo}/issues/${number}`,
  repository_url: `https://api.github.com/repos/${repo}`,
  updated_at: AT,
})

describe('events from provider documentation, without recordings: GitHub', () => {
  it('a sub-issue has a part_of relation from both events, until it is removed', async () => {
    const ends = { sub_issue: issue(5, 'Rotate the keys'), parent_issue: issue(3, 'Security', 'acme/plans') }
    for (const action of ['sub_issue_added', 'parent_issue_added']) {
      expect((await mappedFromGithub('sub_issues', { action, ...ends })).records).toMatchObject([
        {
          external_id: 'issue_link/acme/api#5/part_of/acme/plans#3',
          text: 'acme/api#5 “Rotate the keys” is a part of acme/plans#3 “Security”.',
          relations: [{ subject: { name: 'acme/api#5' }, predicate: 'part_of', object: { name: 'acme/plans#3' } }],
        },
      ])
    }
    expect((await mappedFromGithub('sub_issues', { action: 'sub_issue_removed', ...ends })).records).toMatchObject([
      { external_id: 'issue_link/acme/api#5/part_of/acme/plans#3', deleted: true },
    ])
  })

  it('an issue that blocks another has a blocks relation, until it is removed', async () => {
    const ends = { blocking_issue: issue(8, 'Buy HSM'), blocked_issue: issue(5, 'Rotate the keys') }
    const { records } = await mappedFromGithub('issue_dependencies', { action: 'blocked_by_added', ...ends })
    expect(records[0]?.relations).toMatchObject([
      { subject: { name: 'acme/api#8' }, predicate: 'blocks', object: { name: 'acme/api#5' } },
    ])
    const [gone] = (await mappedFromGithub('issue_dependencies', { action: 'blocking_removed', ...ends })).records
    expect(gone).toMatchObject({ external_id: records[0]?.external_id, deleted: true })
  })

  it('status updates, advisories, moved discussions and published repositories are mapped', async () => {
    const update = {
      id: 9,
      body: 'Two weeks late.',
      status: 'AT_RISK',
      creator: SENDER,
      created_at: AT,
      updated_at: AT,
    }
    expect(
      (await mappedFromGithub('projects_v2_status_update', { action: 'created', projects_v2_status_update: update }))
        .records,
    ).toMatchObject([{ external_id: 'project_update/9', text: 'Two weeks late.', properties: { health: 'at risk' } }])
    const advisory = { ghsa_id: 'GHSA-1', summary: 'Keys leak', description: 'In logs.', state: 'published' }
    expect(
      (await mappedFromGithub('repository_advisory', { action: 'published', repository_advisory: advisory })).records,
    ).toMatchObject([{ external_id: 'advisory/GHSA-1', title: 'Keys leak', properties: { state: 'published' } }])
    const moved = {
      new_discussion: { number: 2, title: 'Ideas' },
      new_repository: { full_name: 'acme/plans', name: 'plans' },
    }
    expect(
      (
        await mappedFromGithub('discussion', {
          action: 'transferred',
          discussion: { number: 7, title: 'Ideas' },
          changes: moved,
        })
      ).records,
    ).toMatchObject([
      { external_id: 'discussion/acme/api#7', deleted: true },
      { external_id: 'discussion/acme/plans#2', title: 'Ideas' },
    ])
    expect((await mappedFromGithub('public', {})).records).toMatchObject([{ external_id: 'repository/1' }])
    const deployment = { id: 4, environment: 'production', created_at: AT }
    expect((await mappedFromGithub('deployment', { deployment })).records).toMatchObject([
      { url: 'https://github.com/acme/api/deployments/production' },
    ])
  })

  it('every other event is counted as ignored, without an error', async () => {
    for (const event of [
      ...['star', 'watch', 'fork', 'label', 'create', 'delete', 'check_run', 'check_suite', 'status', 'page_build'],
      ...['merge_group', 'workflow_job', 'workflow_dispatch', 'branch_protection_rule', 'installation', 'meta', 'ping'],
      ...['secret_scanning_alert_location', 'personal_access_token_request', 'sponsorship', 'something_new'],
    ]) {
      const { records, ignored } = await mappedFromGithub(event, { action: 'created' })
      expect({ event, records: records.length, isCounted: ignored !== undefined }).toEqual({
        event,
        records: 0,
        isCounted: true,
      })
    }
  })
})

describe('events from provider documentation, without recordings: Slack', () => {
  const slack = async (event: object) =>
    (await mapped('slack', { type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event })).records
  const said = { type: 'message', channel: 'C1', ts: '1777888800.000100' }

  it('an app’s blocks are added to the notification text, without repeating it', async () => {
    const blocks = [
      { type: 'header', text: { type: 'plain_text', text: 'Incident 42' } },
      { type: 'section', text: { type: 'mrkdwn', text: '*Cause:* the certificate of <https://x.example|x> ran out' } },
      { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Acknowledge' } }] },
    ]
    const [message] = await slack({ ...said, bot_id: 'B1', text: 'Incident 42 was opened', blocks })
    expect(message?.text).toBe('Incident 42 was opened\nCause: the certificate of https://x.example ran out')
    const rich = [{ type: 'rich_text', elements: [{ type: 'text', text: 'Launch on 3 June' }] }]
    expect((await slack({ ...said, user: 'U1', text: 'Launch on 3 June', blocks: rich }))[0]?.text).toBe(
      'Launch on 3 June',
    )
  })

  it('the text of an attached file is read: a snippet, a mail, a transcription', async () => {
    const files = [
      { id: 'F1', title: 'notes.txt', preview: 'Keys are rotated on Mondays.' },
      { id: 'F2', name: 'clip.webm', transcription: { status: 'complete', preview: { content: 'Ship it.' } } },
    ]
    expect((await slack({ ...said, subtype: 'file_share', user: 'U1', text: '', files }))[0]?.text).toBe(
      '[file: notes.txt]\nKeys are rotated on Mondays.\n[file: clip.webm]\nShip it.',
    )
  })

  it('an app mention is mapped as its message, and events without knowledge are counted', async () => {
    const mention = { ...said, type: 'app_mention', user: 'U1', text: '<@U0> hello' }
    expect((await slack(mention))[0]?.external_id).toBe('message/T1/C1/1777888800.000100')
    for (const type of ['file_shared', 'file_public', 'pin_added', 'emoji_changed', 'member_joined_channel', 'new_one'])
      expect(await slack({ type, channel_id: 'C1', file_id: 'F1', user: 'U1' })).toEqual([])
  })
})

describe('events from provider documentation, without recordings: GitLab', () => {
  const project = { id: 7, name: 'api', path_with_namespace: 'acme/api', web_url: 'https://gitlab.example/acme/api' }
  const user = { id: 2, name: 'Yuki Tanabe', username: 'ytanabe' }

  it('an award becomes a reaction, until it is revoked', async () => {
    const award = { id: 31, name: 'thumbsup', awardable_type: 'Note', awardable_id: 363, created_at: AT }
    const body = { object_kind: 'emoji', event_type: 'award', user, project, object_attributes: award }
    const about = { note: { id: 363, note: 'Shall we?' }, issue: { iid: 42, title: 'Keys' } }
    expect((await mapped('gitlab', { ...body, ...about })).records).toMatchObject([
      {
        external_id: 'reaction/31',
        author: { name: 'Yuki Tanabe' },
        entities: [{ name: 'acme/api#42' }, { name: 'acme/api' }],
        properties: { emoji: 'thumbsup', reply_to: 'note/363' },
      },
    ])
    expect((await mapped('gitlab', { ...body, event_type: 'revoke' })).records).toMatchObject([
      { external_id: 'reaction/31', deleted: true },
    ])
  })

  it('a vulnerability becomes an alert, and a subgroup a team', async () => {
    const url = 'https://gitlab.example/acme/api/-/security/vulnerabilities/1'
    const found = {
      url,
      title: 'REXML DoS',
      state: 'dismissed',
      severity: 'high',
      report_type: 'dependency_scanning',
      identifiers: [{ name: 'CVE-2024-35176' }],
      location: { file: 'Gemfile.lock', dependency: { package: { name: 'rexml' } } },
      created_at: AT,
    }
    expect((await mapped('gitlab', { object_kind: 'vulnerability', object_attributes: found })).records).toMatchObject([
      {
        external_id: `vulnerability/${url}`,
        title: 'REXML DoS',
        entities: [{ name: 'acme/api' }, { name: 'rexml' }, { name: 'CVE-2024-35176' }],
        properties: { state: 'dismissed', severity: 'high' },
      },
    ])
    const group = { group_id: 10, name: 'Keys', full_path: 'acme/keys', created_at: AT }
    const at = (event: string) => mapped('gitlab', { event_name: event, ...group })
    expect((await at('subgroup_create')).records).toMatchObject([{ external_id: 'group/10', title: 'acme/keys' }])
    expect((await at('subgroup_destroy')).records).toMatchObject([{ external_id: 'group/10', deleted: true }])
  })
})

describe('events from provider documentation, without recordings: Jira', () => {
  it('a restored project exists again, and an archived one has state archived', async () => {
    const project = { id: 10, key: 'HRB', name: 'Harbour' }
    const at = async (webhookEvent: string) => (await mapped('jira', { webhookEvent, project })).records[0]
    expect(await at('project_soft_deleted')).toMatchObject({ external_id: 'project/10', deleted: true })
    const restored = await at('project_restored_deleted')
    expect(restored).toMatchObject({ external_id: 'project/10', title: 'Harbour' })
    expect(restored?.deleted).toBeUndefined()
    expect((await at('project_archived'))?.properties).toMatchObject({ state: 'archived' })
  })

  it('an issue event includes earlier comments, files and subtasks, each once', async () => {
    const comment = (id: string, body: string) => ({ id, body, author: { displayName: 'Priya' }, created: AT })
    const fields = {
      summary: 'Rotate the keys',
      comment: { comments: [comment('1', 'First.'), comment('2', 'Second.')] },
      attachment: [{ filename: 'plan.pdf' }],
      subtasks: [{ id: '12', key: 'HRB-12', fields: { summary: 'Order the HSM' } }],
    }
    const body = { webhookEvent: 'jira:issue_updated', issue: { id: '11', key: 'HRB-11', fields } }
    const { records } = await mapped('jira', { ...body, comment: comment('2', 'Second, edited.') })
    expect(records.map(({ external_id: id, text }) => [id, text])).toEqual([
      ['issue/11', undefined],
      ['comment/1', 'First.'],
      ['comment/2', 'Second, edited.'],
    ])
    expect(records[0]?.properties).toMatchObject({ files: ['plan.pdf'] })
    expect(records[0]?.relations).toMatchObject([
      { subject: { name: 'HRB-12' }, predicate: 'part_of', object: { name: 'HRB-11' } },
    ])
  })
})

describe('events from provider documentation, without recordings: Linear', () => {
  const linear = async (type: string, data: object, action = 'create') =>
    (await mapped('linear', { type, action, data, createdAt: AT })).records

  it('customers, their requests and issue attachments are mapped, until they are removed', async () => {
    const customer = { id: 'c1', name: 'Harbour Ltd', domains: ['harbour.example'] }
    expect(await linear('Customer', { ...customer, tier: { name: 'Gold' }, createdAt: AT })).toMatchObject([
      { external_id: 'customer/c1', title: 'Harbour Ltd', properties: { tier: 'Gold', domains: ['harbour.example'] } },
    ])
    const about = { id: 'i1', identifier: 'NOR-1', title: 'Export' }
    const need = { id: 'n1', body: 'We need CSV.', customer, issue: about, priority: 1, createdAt: AT }
    expect(await linear('CustomerNeed', need)).toMatchObject([
      {
        external_id: 'customer_need/n1',
        text: 'We need CSV.',
        relations: [{ subject: { name: 'NOR-1' }, predicate: 'requested_by', object: { name: 'Harbour Ltd' } }],
        properties: { important: true },
      },
    ])
    const link = { id: 'a1', title: 'PR 12', url: 'https://github.com/acme/api/pull/12', issueId: 'i1', createdAt: AT }
    expect(await linear('Attachment', link)).toMatchObject([
      { external_id: 'attachment/a1', url: link.url, properties: { on: 'issue/i1' } },
    ])
    for (const [type, id] of [
      ['Customer', 'customer/x'],
      ['CustomerNeed', 'customer_need/x'],
      ['Attachment', 'attachment/x'],
      ['Release', 'release/x'],
    ] as const)
      expect(await linear(type, { id: 'x' }, 'remove')).toMatchObject([{ external_id: id, deleted: true }])
  })

  it('releases, nested initiatives and comments on them are mapped', async () => {
    const release = {
      id: 'r1',
      name: 'June',
      version: '1.4',
      issues: [{ id: 'i1', identifier: 'NOR-1', title: 'Export' }],
    }
    expect(await linear('Release', release)).toMatchObject([
      { external_id: 'release/r1', entities: [{ name: 'June' }, { name: 'NOR-1' }], properties: { version: '1.4' } },
    ])
    const part = { id: 'in2', name: 'Exports', health: 'atRisk', parentInitiative: { id: 'in1', name: 'Openness' } }
    expect(await linear('Initiative', part)).toMatchObject([
      { relations: [{ predicate: 'part_of', object: { name: 'Openness' } }], properties: { health: 'atRisk' } },
    ])
    const remark = {
      id: 'k1',
      body: 'Agreed.',
      initiativeUpdate: { id: 'iu1', initiative: { id: 'in1', name: 'Openness' } },
    }
    expect(await linear('Comment', remark)).toMatchObject([{ properties: { on: 'Openness' } }])
  })

  it('an issue without an id is identified by its key, and a moved one keeps its former key as an alias', async () => {
    const data = { identifier: 'NOR-139', title: 'Restore the index', previousIdentifiers: ['OLD-7'] }
    const [record] = await linear('Issue', data)
    expect(record).toMatchObject({ external_id: 'issue/NOR-139', entities: [{ name: 'NOR-139' }] })
    expect(record?.entities?.[0]?.aliases).toContain('OLD-7')
    expect(await linear('Issue', data, 'remove')).toMatchObject([{ external_id: 'issue/NOR-139', deleted: true }])
  })
})
