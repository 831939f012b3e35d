import { describe, expect, test } from 'vitest'
import { boards } from '../../../../../tests/harness/boards.ts'
import { mapped } from '../../../../../tests/harness/provider-event.ts'

describe('the phase follows from the tracker’s own state category', () => {
  test.each(boards.map((board) => [board.called, board] as const))('%s', async (_called, { event, phase }) => {
    const { records } = await mapped(...event)
    expect(records[0]?.phase).toBe(phase)
  })
})

test('owner, due date and kind are mapped', async () => {
  const fields = {
    summary: 'Seal the valve',
    status: { name: 'QA', statusCategory: { key: 'indeterminate' } },
    assignee: { accountId: 'a1', displayName: 'Ida Frost' },
    duedate: '2026-05-04',
    issuetype: { name: 'Bug' },
  }
  const [jira] = (
    await mapped('jira', { webhookEvent: 'jira:issue_updated', issue: { id: '1', key: 'HRB-1', fields } })
  ).records
  expect(jira).toMatchObject({ owner: { name: 'Ida Frost' }, due: '2026-05-04', kind: 'Bug' })
  const wrong = { ...fields, duedate: 'soon', assignee: null, issuetype: null }
  const [without] = (
    await mapped('jira', { webhookEvent: 'jira:issue_updated', issue: { id: '1', key: 'HRB-1', fields: wrong } })
  ).records
  expect(Object.keys(without ?? {})).not.toEqual(expect.arrayContaining(['due']))
  expect(without).not.toHaveProperty('owner')
})
