import { describe, expect, it } from 'vitest'
import { mapped } from '../../../../../tests/harness/provider-event.ts'

const recordsOf = async (...event: Parameters<typeof mapped>) => (await mapped(...event)).records

const AT = '2026-05-04T10:00:00.000Z'

describe('shapes that Linear documents', () => {
  const linear = (type: string, data: object) => recordsOf('linear', { type, action: 'create', data, createdAt: AT })

  it('an object with only an id becomes an entity with that id, and the id is not its name', async () => {
    const document = { id: 'd1', title: 'Runbook', content: 'Call Ana.', projectId: 'p1', initiativeId: 'in1' }
    const [runbook] = await linear('Document', { ...document, creatorId: 'u1', trashed: true })
    expect(runbook).toMatchObject({
      external_id: 'document/d1',
      text: 'Call Ana.',
      relations: [
        { predicate: 'part_of', object: { type: 'project', identifiers: { id: 'p1' } } },
        { predicate: 'part_of', object: { type: 'initiative', identifiers: { id: 'in1' } } },
      ],
      properties: { trashed: true },
    })
    const [issue] = await linear('Issue', {
      id: 'i2',
      identifier: 'HAR-2',
      title: 'Sail',
      parentId: 'i1',
      projectId: 'p1',
      cycleId: 'cy1',
      teamId: 't1',
      subscriberIds: ['u1'],
      delegate: { id: 'u9', name: 'Agent' },
    })
    const wholes = issue?.relations?.filter(({ predicate }) => predicate === 'part_of').map(({ object }) => object)
    expect(wholes).toMatchObject(['p1', 'cy1', 'i1', 't1'].map((id) => ({ identifiers: { id } })))
    expect(issue?.properties).toEqual({ key: 'HAR-2' })
    expect(issue?.participants).toMatchObject([{ name: 'Agent' }, { identifiers: { id: 'u1' } }])
    const [comment] = await linear('Comment', { id: 'c1', body: 'Agreed.', issueId: 'i2', userId: 'u1' })
    expect(comment).toMatchObject({ entities: [{ type: 'issue', identifiers: { id: 'i2' } }] })
    expect([comment?.title, comment?.properties]).toEqual([undefined, undefined])
    const [need] = await linear('CustomerNeed', { id: 'n1', body: 'CSV.', customerId: 'cu1', issueId: 'i2' })
    expect(need).toMatchObject({ title: 'Request of a customer', entities: [{ identifiers: { id: 'cu1' } }, {}] })
  })

  it('bots and external users are authors, and initiatives and projects have their parts', async () => {
    const botActor = JSON.stringify({ id: 'b1', type: 'github', name: 'GitHub' })
    expect((await linear('Comment', { id: 'c2', body: 'Linked.', botActor }))[0]?.author).toMatchObject({
      type: 'bot',
      name: 'GitHub',
    })
    const externalUser = { id: 'x1', name: 'Ada Guest', email: 'ada@guest.example' }
    expect((await linear('Comment', { id: 'c3', body: 'Hi.', externalUser }))[0]?.author).toMatchObject({
      type: 'person',
      name: 'Ada Guest',
    })
    const parts = { projects: [{ id: 'p1', name: 'Quay' }], subInitiatives: [{ id: 'in2', name: 'Docks' }] }
    expect((await linear('Initiative', { id: 'in1', name: 'Harbour', ...parts }))[0]?.relations).toMatchObject([
      { subject: { name: 'Quay' }, predicate: 'part_of', object: { name: 'Harbour' } },
      { subject: { name: 'Docks' }, predicate: 'part_of', object: { name: 'Harbour' } },
    ])
    const project = { id: 'p1', name: 'Quay', teamIds: ['t1'], milestones: [{ id: 'm1', name: 'Beta' }] }
    expect((await linear('Project', project))[0]?.relations).toMatchObject([
      { subject: { type: 'milestone', name: 'Beta' }, predicate: 'part_of', object: { name: 'Quay' } },
    ])
    for (const type of ['Project', 'Cycle', 'Customer', 'Document']) expect(await linear(type, { id: 'x' })).toEqual([])
  })
})

describe('shapes that Slack documents', () => {
  it('every block with text is read: markdown, tables, images, dates and groups', async () => {
    const blocks = [
      { type: 'markdown', text: 'Rotate **before** Friday.' },
      { type: 'image', title: { type: 'plain_text', text: 'Plan' }, alt_text: 'Three phases' },
      {
        type: 'table',
        rows: [
          [
            { type: 'raw_text', text: 'Phase' },
            { type: 'raw_text', text: 'Day' },
          ],
          [
            { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'One' }] }] },
            { type: 'raw_text', text: 'Monday' },
          ],
        ],
      },
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'usergroup', usergroup_id: 'S1' },
              { type: 'text', text: ' meets ' },
              { type: 'date', timestamp: 1777888800, format: '{date}', fallback: 'on 4 May' },
            ],
          },
        ],
      },
    ]
    const event = { type: 'message', channel: 'C1', ts: '1777888800.000100', bot_id: 'B1', text: '', blocks }
    const [message] = await recordsOf('slack', { type: 'event_callback', team_id: 'T1', event })
    expect(message?.text?.split('\n').filter(Boolean)).toEqual([
      'Rotate before Friday.',
      'Plan',
      'Three phases',
      'Phase | Day',
      'One | Monday',
      '@subteam meets on 4 May',
    ])
  })
})

describe('shapes that GitLab documents', () => {
  it('the user who opens an issue or writes a note is its author, regardless of author_id', async () => {
    const project = { id: 7, path_with_namespace: 'acme/api', web_url: 'https://gitlab.example/acme/api' }
    const user = { id: 42, name: 'Ana Sol', username: 'ana' }
    const opened = { id: 301, iid: 23, title: 'Keys', author_id: 51, action: 'open' }
    const authorOf = async (attributes: object, object_kind: string) =>
      (await recordsOf('gitlab', { object_kind, user, project, object_attributes: attributes }))[0]?.author
    expect(await authorOf(opened, 'issue')).toMatchObject({ name: 'Ana Sol' })
    expect(await authorOf({ ...opened, action: 'update' }, 'issue')).toMatchObject({ identifiers: { id: '51' } })
    const note = { id: 1, note: 'Agreed.', author_id: 51, action: 'create', noteable_type: 'Snippet' }
    expect(await authorOf(note, 'note')).toMatchObject({ name: 'Ana Sol' })
  })
})

describe('shapes that Jira documents', () => {
  it('attachments are mapped until they are deleted, and a worklog event includes its issue', async () => {
    const attachment = {
      id: '10100',
      filename: 'plan.pdf',
      author: { accountId: '5c5f880629be9642ba529340', displayName: 'Ana Sol' },
      created: AT,
      mimeType: 'application/pdf',
      size: 2048,
      content: 'https://harbour.example/secure/attachment/10100/plan.pdf',
    }
    const at = (webhookEvent: string) => recordsOf('jira', { webhookEvent, timestamp: Date.parse(AT), attachment })
    expect(await at('attachment_created')).toMatchObject([
      { external_id: 'attachment/10100', title: 'plan.pdf', author: { name: 'Ana Sol' }, url: attachment.content },
    ])
    expect(await at('attachment_deleted')).toMatchObject([{ external_id: 'attachment/10100', deleted: true }])
    const issue = { id: '11', key: 'HRB-11', fields: { summary: 'Rotate the keys', updated: AT } }
    expect(await recordsOf('jira', { webhookEvent: 'jira:worklog_updated', issue })).toMatchObject([
      { external_id: 'issue/11', title: 'Rotate the keys' },
    ])
  })

  it('a document with nested tables, panels, lists and mentions is read in order', async () => {
    const paragraph = (...content: object[]) => ({ type: 'paragraph', content })
    const words = (said: string, ...marks: object[]) => ({ type: 'text', text: said, marks })
    const cell = (...content: object[]) => ({ type: 'tableCell', content })
    const row = (...content: object[]) => ({ type: 'tableRow', content })
    const body = {
      type: 'doc',
      version: 1,
      content: [
        { type: 'heading', attrs: { level: 2 }, content: [words('Plan')] },
        {
          type: 'table',
          content: [
            row(
              cell(paragraph(words('Ana'))),
              cell({ type: 'table', content: [row(cell(paragraph(words('Monday'))))] }),
            ),
          ],
        },
        { type: 'panel', attrs: { panelType: 'warning' }, content: [paragraph(words('Do not wait.'))] },
        {
          type: 'bulletList',
          content: [
            {
              type: 'listItem',
              content: [
                paragraph(
                  words('Ask '),
                  { type: 'mention', attrs: { id: '5c5f880629be9642ba529340', text: '@Ana Sol' } },
                  words(' in '),
                  words('the room', { type: 'link', attrs: { href: 'https://meet.example/1' } }),
                ),
              ],
            },
          ],
        },
        { type: 'mediaSingle', content: [{ type: 'media', attrs: { id: 'm1', type: 'file', alt: 'the key map' } }] },
      ],
    }
    const comment = { id: '9', body, author: null, created: AT, updated: AT }
    const issue = { id: '11', key: 'HRB-11', fields: { summary: 'Rotate the keys', assignee: null, project: null } }
    const [record] = await recordsOf('jira', { webhookEvent: 'comment_created', comment, issue })
    expect(record?.text?.split('\n').filter((line) => line.trim())).toEqual([
      'Plan',
      'Ana | Monday',
      'Do not wait.',
      '- Ask @Ana Sol in the room (https://meet.example/1)',
      '[file: the key map]',
    ])
    expect(record?.participants).toMatchObject([{ name: 'Ana Sol', identifiers: { id: '5c5f880629be9642ba529340' } }])
    expect(record?.author).toBeUndefined()
  })
})
