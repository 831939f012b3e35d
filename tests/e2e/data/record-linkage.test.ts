import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const firm = (id: string, title: string, properties: object) => ({
  external_id: id,
  type: 'company',
  title,
  properties,
})

onEachApp((app) => {
  let call: Call
  let crm: TestSandbox
  let books: TestSandbox

  const list = async () => (await call('GET', `${crm.storage}/entities?type=company`)).body
  const settled = async (): Promise<Answer['body'][]> => {
    await expect.poll(async () => (await list()).resolution).toBe('settled')
    return (await list()).entities
  }
  const entity = async (id: string): Promise<Answer['body']> =>
    (await call('GET', `${crm.storage}/entities/${id}`)).body

  beforeEach(async () => {
    ;({ call } = await app().newAccount())
    crm = await newSandbox(call)
    const { body } = await call('POST', `${crm.storage}/sources`, { provider: 'books', name: 'Books' })
    const records = `${crm.storage}/sources/${body.data_source_id}/records`
    books = { ...crm, source: body.data_source_id, records }
  })

  describe('a company in two tools', () => {
    const ours = firm('1', 'Acme Tools', { city: 'Porto', phone: '+351 22 555 0101' })
    const theirs = firm('77', 'Acme Tools', { town: 'Porto', phone: '0351-22-5550101' })

    it('is merged if its properties agree, gives the reason, and the old id redirects to it', async () => {
      await putRecords(call, crm, [ours])
      await putRecords(call, books, [theirs])
      expect((await list()).resolution).toBe('pending')
      const [one, ...others] = await settled()
      expect(others).toEqual([])
      expect(one).toMatchObject({ name: 'Acme Tools', record_count: 2 })
      const { merge_history: history } = await entity(one.canonical_id)
      expect(history).toMatchObject([{ kind: 'alike', into: one.canonical_id, decided_by: null, undone_at: null }])
      expect(history[0].reason).toMatch(/similar in .*name/)
      expect((await entity(history[0].from)).canonical_id).toBe(one.canonical_id)
    })

    it('is split again when a later version contradicts', async () => {
      await putRecords(call, crm, [ours])
      await putRecords(call, books, [theirs])
      const [{ canonical_id: id }] = (await settled()) as [Answer['body']]
      await putRecords(call, books, [firm('77', 'Acme Tools', { town: 'Porto', phone: '+1 415 555 8832' })])
      expect(await settled()).toHaveLength(2)
      const { merge_history: history, record_count: count } = await entity(id)
      expect(count).toBe(1)
      expect(history).toMatchObject([{ kind: 'alike', undone_by: null }])
      expect(history[0].undone_at).not.toBeNull()
    })

    it('stays split permanently after a person undid the merge', async () => {
      await putRecords(call, crm, [ours])
      await putRecords(call, books, [theirs])
      const [{ canonical_id: id }] = (await settled()) as [Answer['body']]
      const [merge] = (await entity(id)).merge_history
      expect((await call('POST', `${crm.storage}/entities/${id}/merges/${merge.merge_id}/undo`)).status).toBe(200)
      await putRecords(call, crm, [{ ...ours, text: 'Again.' }])
      expect(await settled()).toHaveLength(2)
    })

    it('stays two if a number differs, and so do two of one tool', async () => {
      await putRecords(call, crm, [ours, firm('2', 'Acme Tools', ours.properties)])
      await putRecords(call, books, [firm('77', 'Acme Tools', { city: 'Porto', phone: '+1 415 555 8832' })])
      expect(await settled()).toHaveLength(3)
    })

    it('stays merged by a person’s decision, whatever differs', async () => {
      await putRecords(call, crm, [ours])
      await putRecords(call, books, [firm('77', 'Zenith', { city: 'Oslo', phone: '+47 22 00 00 00' })])
      const two = (await settled()).map((each) => each.canonical_id)
      expect((await call('POST', `${crm.storage}/entities/${two[0]}/merge`, { into: two[1] })).status).toBe(200)
      await putRecords(call, crm, [{ ...ours, text: 'Again.' }])
      expect(await settled()).toHaveLength(1)
    })
  })

  it('Room 101 and Room 102 are different, in one tool or in two', async () => {
    const room = (id: string) => ({
      external_id: id,
      type: 'company',
      title: `Room ${id}`,
      properties: { building: 'North wing', floor: 1, seats: 12 },
    })
    await putRecords(call, crm, [room('101'), room('103')])
    await putRecords(call, books, [room('102'), room('103')])
    const rooms = await settled()
    expect(rooms.map(({ name }) => name).sort()).toEqual(['Room 101', 'Room 102', 'Room 103'])
  })
})
