import { decodeContent, type RecordContent } from '@cairnstore/engine/resolve'
import { describe, expect, it } from 'vitest'
import { incoming, openSandbox } from '../../../../tests/harness/sandbox-in-memory.ts'
import type { Batch } from './batch-shape.ts'

const priyaInChat = { name: 'Priya', identifiers: { login: 'priya.raman', email: 'priya@firm.example' } }
const priyaOnCodeHost = { name: 'Priya Raman', identifiers: { login: 'praman', email: 'priya@firm.example' } }

describe('quota', () => {
  const size = (batch: Batch) => ({ added: batch.added, addedBytes: batch.addedBytes, refused: batch.refused.size })

  it('rejects only the records beyond the limit, and counts the written bytes exactly', async () => {
    const sandbox = openSandbox({ records: 2, bytes: null })
    const batch = await sandbox.apply(...['a', 'b', 'c'].map((id) => incoming({ external_id: id, text: id })))
    const bytes = [...sandbox.records.values()].reduce((sum, row) => sum + row.content.length, 0)
    expect(size(batch)).toEqual({ added: 2, addedBytes: bytes, refused: 1 })
    expect(sandbox.records.size).toBe(2)
  })

  it('allows replacements and deletions at the limit, and rejects only growth', async () => {
    const sandbox = openSandbox({ records: 1, bytes: 100 })
    const first = await sandbox.apply(incoming({ text: 'some text' }))
    const full = { records: 0, bytes: 100 - first.addedBytes }
    const replaced = await sandbox.apply(incoming({ text: 'less' }))
    expect(size(replaced)).toEqual({ added: 0, addedBytes: 'less'.length - 'some text'.length, refused: 0 })
    const grown = await sandbox.apply(incoming({ text: 'x'.repeat(full.bytes + 100) }))
    expect(size(grown)).toEqual({ added: 0, addedBytes: 0, refused: 1 })
    const removed = await sandbox.apply(incoming({}, { deleted: true }))
    expect(size(removed)).toEqual({ added: -1, addedBytes: -(first.addedBytes + replaced.addedBytes), refused: 0 })
  })

  it('writes nothing for an unchanged record, and everything if its project differs', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(incoming({ text: 'same', author: priyaInChat }))
    const again = await sandbox.apply(incoming({ text: 'same', author: priyaInChat }))
    expect([again.records.length, again.entities.length, again.unchanged.size]).toEqual([0, 0, 1])
    const moved = await sandbox.apply({ ...incoming({ text: 'same', author: priyaInChat }), projectId: 'prj_a' })
    expect([moved.records.length, moved.unchanged.size]).toEqual([1, 0])
  })

  it('reports a repeated record as unchanged, in the same batch or a later one', async () => {
    const versions = ['same', 'same', 'other'].map((text) => incoming({ text }))
    const batch = await openSandbox().apply(...versions)
    expect([batch.records.length, batch.unchanged]).toEqual([1, new Set([versions[1]])])
  })
})

describe('resolution', () => {
  it('merges two names of a person that share an email address', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(
      incoming({ external_id: 'a', author: priyaInChat }),
      incoming({ external_id: 'b', author: priyaOnCodeHost }, { sourceId: 'src_code', provider: 'github' }),
    )
    expect(sandbox.named('Priya').map(({ id }) => id)).toEqual(sandbox.named('Priya Raman').map(({ id }) => id))
  })

  it('keeps people apart who share only a first name', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(
      incoming({ external_id: 'a', author: { name: 'Alex', identifiers: { login: 'alex.l' } } }),
      incoming({ external_id: 'b', author: { name: 'Alex', identifiers: { login: 'okafor' } } }),
      incoming({ external_id: 'c', author: 'Alex' }),
    )
    expect(new Set(sandbox.named('Alex').map(({ id }) => id)).size).toBe(2)
  })

  it('links a bare name to nobody if two people have it', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(
      incoming({ external_id: 'a', author: { name: 'Alex Smith', identifiers: { email: 'a@firm.example' } } }),
      incoming({ external_id: 'b', author: { name: 'Alex Smith', identifiers: { email: 'b@firm.example' } } }),
    )
    for (const external_id of ['c', 'd', 'c', 'e']) await sandbox.apply(incoming({ external_id, author: 'Alex Smith' }))
    expect(sandbox.named('Alex Smith')).toHaveLength(2)
  })

  it('understands types that are common words', async () => {
    const sandbox = openSandbox()
    const types = ['constructor', 'toString', '__proto__']
    await sandbox.apply(incoming({ entities: types.map((type) => ({ type, name: 'Odd' })) }))
    expect(
      sandbox
        .named('Odd')
        .map(({ type }) => type)
        .sort(),
    ).toEqual(types.map((type) => type.toLowerCase()).sort())
  })

  it('creates a new entity for a very common name, without comparing them', async () => {
    const sandbox = openSandbox()
    const author = (login: number) => ({ name: 'Bot', identifiers: { login: `bot${login}` } })
    for (let at = 0; at < 40; at++) await sandbox.apply(incoming({ external_id: `${at}`, author: author(at) }))
    expect(sandbox.named('Bot')).toHaveLength(40)
    await sandbox.apply(incoming({ external_id: 'bare', author: 'Bot' }))
    expect(sandbox.named('Bot')).toHaveLength(40)
  })

  it('keeps two issues with the same title in one source apart', async () => {
    const sandbox = openSandbox()
    const issue = { type: 'issue', title: 'Flaky test' }
    await sandbox.apply(incoming({ external_id: '1', ...issue }), incoming({ external_id: '2', ...issue }))
    expect(sandbox.named('Flaky test')).toHaveLength(2)
  })

  it('merges two entities when a later record shows that they are the same, and keeps the older id', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(incoming({ external_id: 'a', author: { name: 'Sam', identifiers: { login: 'samw' } } }))
    const [older] = sandbox.named('Sam')
    await sandbox.apply(
      incoming({ external_id: 'b', author: { name: 'Samantha Whitlock', identifiers: { email: 'sam@firm.example' } } }),
    )
    const both = { name: 'Sam W.', identifiers: { login: 'samw', email: 'sam@firm.example' } }
    const batch = await sandbox.apply(incoming({ external_id: 'c', author: both }))
    expect(batch.merges).toHaveLength(1)
    expect(batch.merges[0]?.into).toBe(older?.id)
    expect(sandbox.entities()).toHaveLength(1)
    expect(sandbox.named('Samantha Whitlock')[0]?.id).toBe(older?.id)
  })

  it('does not depend on whether records come in one batch or in several', async () => {
    const all = [
      incoming({ external_id: 'a', author: priyaInChat }),
      incoming({ external_id: 'b', author: priyaOnCodeHost }, { provider: 'github', sourceId: 'src_code' }),
      incoming({
        external_id: 'c',
        type: 'project',
        title: 'Harbour',
        entities: [{ type: 'person', name: 'Priya Raman' }],
      }),
    ]
    const together = openSandbox()
    await together.apply(...all)
    const apart = openSandbox()
    for (const record of all) await apart.apply(record)
    const names = (sandbox: ReturnType<typeof openSandbox>) =>
      sandbox
        .entities()
        .map((entity) => entity.names.map((name) => name.text).sort())
        .sort()
    expect(names(apart)).toEqual(names(together))
  })
})

describe('replacing and deleting', () => {
  it('keeps the id of a record whose new version has the same external id', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(incoming({ text: 'first' }))
    const [before] = sandbox.records.values()
    const batch = await sandbox.apply(incoming({ text: 'second' }))
    expect(batch.records.map(({ id }) => id)).toEqual([before?.id])
    expect(batch.added).toBe(0)
    expect(sandbox.records.size).toBe(1)
  })

  it('takes the last of several versions in one batch', async () => {
    const sandbox = openSandbox()
    const batch = await sandbox.apply(incoming({ text: 'first' }), incoming({ text: 'second' }))
    expect(batch.records).toHaveLength(1)
    expect(decodeContent<RecordContent>([...sandbox.records.values()][0]!.content).text).toBe('second')
  })

  it('removes the names that only the old version had, and keeps the entity', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(incoming({ type: 'project', title: 'Customer Portal' }))
    const [before] = sandbox.entities()
    await sandbox.apply(incoming({ type: 'project', title: 'Harbour' }))
    expect(sandbox.entities().map(({ id }) => id)).toEqual([before?.id])
    expect(sandbox.named('Customer Portal')).toEqual([])
    expect(sandbox.named('Harbour')).toHaveLength(1)
  })

  it('keeps what another current record still declares', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(
      incoming({ external_id: 'a', author: priyaInChat }),
      incoming({ external_id: 'b', author: priyaInChat }),
    )
    await sandbox.apply(incoming({ external_id: 'a' }, { deleted: true }))
    expect(sandbox.named('Priya')).toHaveLength(1)
    await sandbox.apply(incoming({ external_id: 'b' }, { deleted: true }))
    expect(sandbox.entities()).toEqual([])
  })

  it('ignores the deletion of a record that does not exist', async () => {
    const batch = await openSandbox().apply(incoming({}, { deleted: true }))
    expect(batch).toMatchObject({ records: [], entities: [], links: [], added: 0 })
  })

  it('writes tombstones for the links that a new version no longer has', async () => {
    const sandbox = openSandbox()
    const relation = { subject: { type: 'person', name: 'Yuki Tanabe' }, predicate: 'owns', object: 'ledger-api' }
    await sandbox.apply(incoming({ relations: [relation, { ...relation, object: 'quote-api' }] }))
    const batch = await sandbox.apply(incoming({ relations: [relation] }))
    expect(batch.links.map(({ live }) => live)).toEqual([true, false])
  })
})
