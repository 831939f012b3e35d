import { expect, test } from 'vitest'
import { openDocumentMapper } from '../documents/map-document.ts'
import { guessRecord } from './guess-record.ts'

test.each([
  [{ ts: '2026-05-04T07:46:00Z' }, '2026-05-04T07:46:00.000Z'],
  [{ ts: 1_777_880_760 }, '2026-05-04T07:46:00.000Z'],
  [{ ts: '1777880760.000200' }, '2026-05-04T07:46:00.000Z'],
  [{ timestamp: 1_777_880_760_000 }, '2026-05-04T07:46:00.000Z'],
  [{ time: 12, date: '2026-05-04' }, '2026-05-04T00:00:00.000Z'],
  [{ time: '45', ts: 3 }, undefined],
  [{ timestamp: 99_999_999_999_999 }, undefined],
  [{ date: '1823' }, '1823-01-01T00:00:00.000Z'],
  [{ date: '1823-05-04' }, '1823-05-04T00:00:00.000Z'],
])('the time in %j', (fields, at) => {
  expect(guessRecord({ from: 'Ana', text: 'It leaks.', ...fields })?.occurred_at).toBe(at)
})

const typeOf = (path: string, value: object) =>
  openDocumentMapper({ path, id: path, scope: 'scope' })({ kind: 'value', value })?.type

test('an object with author, time and text is a message, and others get their type from the file name', () => {
  const said = { ts: '2026-05-04T07:46:00Z', from: 'Ana', text: 'It leaks.' }
  expect(typeOf('chat/ana-bo.jsonl', said)).toBe('message')
  expect(typeOf('incidents.jsonl', said)).toBe('incident')
  expect(typeOf('pump.jsonl', { ...said, title: 'Valve 7' })).toBe('pump')
  expect(typeOf('pump.jsonl', { ...said, ts: undefined })).toBe('pump')
})

test('nested values are stored under their paths, with a title and with a text', () => {
  const pump = { name: 'Otter 5', spec: { flow: '40 l/min', seal: { kind: 'lip' } }, uses: ['pond', 'well'], stock: 3 }
  const paths = { 'spec.flow': '40 l/min', 'spec.seal.kind': 'lip', uses: 'pond, well', stock: 3 }
  const line = '- Otter 5: spec.flow: 40 l/min; spec.seal.kind: lip; uses: pond, well'
  expect(guessRecord(pump)).toMatchObject({ title: 'Otter 5', text: `${line}; stock: 3`, properties: paths })
  const described = guessRecord({ ...pump, description: 'It is quiet.', summary: 'Small.' })
  expect(described).toMatchObject({ text: `It is quiet.\n\n${line}`, properties: { ...paths, summary: 'Small.' } })
  expect(guessRecord({ parts: [{ sku: 'A1', price: 3 }, { sku: 'B2' }] })?.text).toBe(
    'parts[0].sku: A1\nparts[0].price: 3\nparts[1].sku: B2',
  )
})

test('excess values are counted, and context fields of an event are not in the text', () => {
  const sizes = Object.fromEntries(Array.from({ length: 2_100 }, (_, at) => [`s${at}`, at]))
  expect(guessRecord({ name: 'Grid', sizes })?.text).toMatch(/100 more values are left out\.$/)
  const event = guessRecord({ title: 'Moved', repository: { name: 'api', size: 9 }, user: { name: 'Ivo', team: 'x' } })
  expect(event?.text).toBeUndefined()
  expect(event?.properties).toMatchObject({ 'repository.size': 9, 'user.team': 'x' })
})

test('issues of trackers keep labels and comments, and assignees become relations', () => {
  const issue = guessRecord({
    number: 7,
    title: 'Valve sticks',
    body: 'It sticks when cold.',
    state: 'OPEN',
    author: { login: 'iho', name: 'Ida Holm' },
    assignees: [{ login: 'kobi', name: 'Karl Obi' }],
    labels: [
      { id: 'L1', name: 'leak', color: 'ff0000' },
      { id: 'L2', name: 'urgent', color: '00ff00' },
    ],
    comments: [{ author: { login: 'mvik' }, body: 'Seen at the quay too.', createdAt: '2026-05-04T07:46:00Z' }],
  })
  const karl = { type: 'person', name: 'Karl Obi', identifiers: { login: 'kobi' } }
  expect(issue).toMatchObject({
    text: 'It sticks when cold.\n\nmvik: Seen at the quay too.\n\n- Valve sticks: labels: leak, urgent',
    author: { name: 'Ida Holm' },
    participants: [karl, { name: 'mvik' }],
    owner: karl,
    relations: [{ subject: { name: 'Valve sticks' }, predicate: 'assigned_to', object: karl }],
    properties: { state: 'OPEN', labels: 'leak, urgent', assignees: ['Karl Obi'] },
  })
})
