import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { plainText } from './plain-text.ts'
import { slack } from './slack.ts'

async function mapEvent(event: object, config: Record<string, unknown> = {}) {
  const body = { type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event }
  return slack.map({ headers: {}, body, settings: { config, accountId: null } })
}

const said = { type: 'message', channel: 'C1', user: 'U1', ts: '1777888800.000100', text: 'Launch is on 3 June.' }

describe('Slack', () => {
  it('markup becomes plain text', () => {
    const markup = '*Done* <@U2|yuki>: see <https://x.example/a|the plan> in <#C2|launch> &lt;3 _soon_ a_b_c <!here>'
    expect(plainText(markup)).toEqual({
      text: 'Done @yuki: see the plan (https://x.example/a) in #launch <3 soon a_b_c @here',
      users: [{ id: 'U2', label: 'yuki' }],
      channels: [{ id: 'C2', label: 'launch' }],
    })
  })

  it('a message has its author, channel, thread and time', async () => {
    const event = { ...said, thread_ts: '1777888000.000001', text: 'Ask <@U2>' }
    const { records } = await mapEvent(event, { workspace_url: 'https://acme.slack.com/' })
    expect(records).toMatchObject([
      {
        external_id: 'message/T1/C1/1777888800.000100',
        type: 'message',
        text: 'Ask @U2',
        url: 'https://acme.slack.com/archives/C1/p1777888800000100',
        occurred_at: '2026-05-04T10:00:00.000Z',
        author: { name: 'U1', identifiers: { id: 'U1' } },
        participants: [{ identifiers: { id: 'U2' } }],
        properties: { thread: 'message/T1/C1/1777888000.000001', reply_to: 'message/T1/C1/1777888000.000001' },
      },
    ])
    expect(records[0]?.entities?.map(({ type }) => type)).toEqual(['channel', 'thread'])
  })

  it('an edit replaces the message, a deletion and a tombstone withdraw it, under the same id', async () => {
    const id = 'message/T1/C1/1777888800.000100'
    const edited = {
      type: 'message',
      subtype: 'message_changed',
      channel: 'C1',
      ts: '1777889000.1',
      message: { ...said, text: 'Launch is on 4 June.' },
    }
    expect((await mapEvent(edited)).records).toMatchObject([{ external_id: id, text: 'Launch is on 4 June.' }])
    const deleted = {
      type: 'message',
      subtype: 'message_deleted',
      channel: 'C1',
      ts: '1777889001.1',
      deleted_ts: said.ts,
    }
    expect((await mapEvent(deleted)).records).toMatchObject([{ external_id: id, deleted: true }])
    const tombstone = { ...edited, message: { ...said, subtype: 'tombstone' } }
    expect((await mapEvent(tombstone)).records).toMatchObject([{ external_id: id, deleted: true }])
  })

  it('a message with only blocks or attachments has their text', async () => {
    const elements = [
      { type: 'text', text: 'Build failed: ' },
      { type: 'link', url: 'https://ci.example/7', text: 'run 7' },
    ]
    const blocks = [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }]
    const { records } = await mapEvent({ ...said, text: '', blocks, attachments: [{ title: 'Step', text: 'lint' }] })
    expect(records[0]?.text).toBe('Build failed: run 7 (https://ci.example/7)\nStep\nlint')
  })

  it('joins are ignored, a person and a reaction are mapped', async () => {
    expect((await mapEvent({ ...said, subtype: 'channel_join' })).ignored).toBe('no_knowledge')
    const user = {
      id: 'U1',
      name: 'praman',
      real_name: 'Priya Raman',
      profile: { email: 'priya@acme.example' },
      updated: 1777888800,
    }
    expect((await mapEvent({ type: 'user_change', user })).records).toMatchObject([
      {
        external_id: 'user/T1/U1',
        title: 'Priya Raman',
        author: { identifiers: { email: 'priya@acme.example', id: 'U1' } },
      },
    ])
    const reaction = {
      type: 'reaction_added',
      user: 'U2',
      reaction: 'tada',
      item: { channel: 'C1', ts: said.ts },
      event_ts: '1777888900.1',
    }
    const added = await mapEvent(reaction)
    const removed = await mapEvent({ ...reaction, type: 'reaction_removed' })
    expect(removed.records[0]).toMatchObject({ external_id: added.records[0]?.external_id, deleted: true })
  })

  it('a signature is valid only for its body, secret and time', () => {
    const body = Buffer.from('{"a":1}')
    const at = 1777888800
    const digest = createHmac('sha256', 'secret').update(`v0:${at}:{"a":1}`).digest('hex')
    const headers = { 'x-slack-signature': `v0=${digest}`, 'x-slack-request-timestamp': String(at) }
    expect(slack.signature?.verify('secret', headers, body, at * 1000)).toBe(true)
    expect(slack.signature?.verify('secret', headers, body, (at + 301) * 1000)).toBe(false)
    expect(slack.signature?.verify('wrong', headers, body, at * 1000)).toBe(false)
    expect(slack.signature?.verify('secret', { 'x-slack-signature': `v0=${digest}` }, body, at * 1000)).toBe(false)
  })
})
