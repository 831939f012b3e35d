import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { linear } from './linear.ts'

async function mapEvent(body: object) {
  return linear.map({ headers: {}, body, settings: { config: {}, accountId: null } })
}

const issue = {
  id: 'i-1',
  number: 139,
  title: 'Restore the index',
  team: { id: 't-1', key: 'NOR', name: 'Norhaven' },
  state: { name: 'In Review', type: 'started' },
  priority: 2,
  assignee: { id: 'u-1', name: 'Yuki Tanabe', email: 'yuki@acme.example' },
  project: { id: 'p-1', name: 'Harbour' },
  labels: [{ name: 'db' }],
  createdAt: '2026-05-04T10:00:00.000Z',
  updatedAt: '2026-05-04T11:00:00.000Z',
}
const url = 'https://linear.app/acme/issue/NOR-139/restore-the-index'

describe('Linear', () => {
  it('an issue has its key, people and project, and the time of assignment if the event has it', async () => {
    const { records } = await mapEvent({
      type: 'Issue',
      action: 'update',
      data: issue,
      url,
      updatedFrom: { assigneeId: null },
    })
    expect(records).toMatchObject([
      {
        external_id: 'issue/i-1',
        title: 'Restore the index',
        url,
        properties: {
          key: 'NOR-139',
          state: 'In Review',
          priority: 'High',
          assignee: 'Yuki Tanabe',
          project: 'Harbour',
        },
      },
    ])
    expect(records[0]?.entities?.[0]).toMatchObject({
      type: 'issue',
      name: 'NOR-139',
      identifiers: { key: 'NOR-139', url },
    })
    expect(records[0]?.relations?.[0]).toMatchObject({
      predicate: 'assigned_to',
      valid_from: '2026-05-04T11:00:00.000Z',
    })
  })

  it('a remove event withdraws the record, whatever its type', async () => {
    for (const [type, id] of [
      ['Issue', 'issue/x'],
      ['Comment', 'comment/x'],
      ['ProjectUpdate', 'update/x'],
    ]) {
      const { records } = await mapEvent({ type, action: 'remove', data: { id: 'x' } })
      expect(records).toMatchObject([{ external_id: id, deleted: true }])
    }
  })

  it('a project update has the project health, and an unknown type is not an error', async () => {
    const data = {
      id: 'pu',
      body: 'On time.',
      health: 'onTrack',
      project: { id: 'p-1', name: 'Harbour' },
      user: { id: 'u', name: 'Fatima' },
    }
    const { records } = await mapEvent({ type: 'ProjectUpdate', action: 'create', data })
    expect(records).toMatchObject([
      { title: 'Update on Harbour', properties: { health: 'onTrack' }, author: { name: 'Fatima' } },
    ])
    expect(await mapEvent({ type: 'Hologram', action: 'create', data: { id: 'h' } })).toMatchObject({
      ignored: 'unknown_event',
    })
  })

  it('a signature is valid for its body and, if the body has a timestamp, for one minute', () => {
    const body = Buffer.from('{"webhookTimestamp":1777888800000}')
    const headers = { 'linear-signature': createHmac('sha256', 'secret').update(body).digest('hex') }
    expect(linear.signature?.verify('secret', headers, body, 1777888830000)).toBe(true)
    expect(linear.signature?.verify('secret', headers, body, 1777888900000)).toBe(false)
    expect(linear.signature?.verify('wrong', headers, body, 1777888830000)).toBe(false)
  })
})
