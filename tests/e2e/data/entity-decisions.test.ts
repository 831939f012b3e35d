import { beforeEach, describe, expect, it } from 'vitest'
import { message, person } from '../../harness/people-and-messages.ts'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const UNKNOWN = `ent_${'0'.repeat(26)}`

const DELE = person('Bamidele Adeyemi', { email: 'dele@example.com' })
const BAM = person('bam', { login: 'bam' })

onEachApp((app) => {
  let call: Call
  let userId: string
  let sandbox: TestSandbox

  beforeEach(async () => {
    ;({ call, userId } = await app().newAccount())
    sandbox = await newSandbox(call)
  })

  const find = async (q: string): Promise<string> => {
    const { body } = await call('GET', `${sandbox.storage}/entities/search?q=${encodeURIComponent(q)}`)
    return body.results[0]?.canonical_id ?? 'none'
  }
  const entity = async (id: string): Promise<Answer['body']> =>
    (await call('GET', `${sandbox.storage}/entities/${id}`)).body
  const decide = (path: string, body?: unknown, as = call) => as('POST', `${sandbox.storage}/entities/${path}`, body)
  const recordsOf = async (id: string): Promise<string[]> =>
    (await entity(id)).records.map((record: { external_id: string }) => record.external_id).sort()

  /** Ingests two people that only a user can recognize as the same. */
  const makeTwo = async () => {
    await putRecords(call, sandbox, [
      message('1', 'I begin on 6 July.', DELE),
      {
        ...message('2', 'The alarm is fixed.', BAM, 2),
        relations: [{ subject: 'bam', predicate: 'fixed', object: 'alarm' }],
      },
    ])
    return { dele: await find('dele@example.com'), bam: await find('bam') }
  }

  describe('a merge by a person', () => {
    it('combines names, records, relations and history, and the old id works in every operation', async () => {
      const { dele, bam } = await makeTwo()
      const { status, body } = await decide(`${bam}/merge`, { into: dele })
      expect(status).toBe(200)
      expect(body).toMatchObject({ success: true, canonical_id: dele })
      const one = await entity(bam)
      expect(one).toEqual(await entity(dele))
      expect(one).toMatchObject({ canonical_id: dele, name: 'Bamidele Adeyemi', record_count: 2 })
      expect(one.relations).toMatchObject([{ predicate: 'fixed', direction: 'out', name: 'alarm' }])
      expect(one.merge_history).toMatchObject([
        { merge_id: body.merge_id, kind: 'person', from: bam, into: dele, decided_by: userId, undone_at: null },
      ])
      const asked = { query: 'What is fixed?', items: [[bam]] }
      const brief = (await call('POST', `${sandbox.query}/interpret`, asked)).body
      expect(brief.citations.map((cited: Answer['body']) => cited.canonical_id)).toContain(dele)
      const found = (await call('POST', `${sandbox.query}/discover`, { query: 'What did bam fix?' })).body
      expect(found.items[0].canonical_ids).toContain(dele)
      expect(found.items[0].canonical_ids).not.toContain(bam)
    })

    it('survives when the records are sent again, and is idempotent', async () => {
      const { dele, bam } = await makeTwo()
      await decide(`${bam}/merge`, { into: dele })
      await putRecords(call, sandbox, [message('1', 'Again.', DELE), message('2', 'Again.', BAM)])
      expect(await recordsOf(dele)).toEqual(['1', '2'])
      const again = await decide(`${bam}/merge`, { into: dele })
      expect(again).toMatchObject({ status: 200, body: { canonical_id: dele, merge_id: null } })
    })

    it('is undone: each id has its own names and records again, and nothing merges them any more', async () => {
      const { dele, bam } = await makeTwo()
      const { body: merged } = await decide(`${bam}/merge`, { into: dele })
      const undone = await decide(`${dele}/merges/${merged.merge_id}/undo`)
      expect(undone).toMatchObject({ status: 200, body: { canonical_id: bam } })
      expect((await entity(bam)).names).toEqual(['bam'])
      expect((await entity(dele)).names).toEqual(['Bamidele Adeyemi'])
      expect([await recordsOf(bam), await recordsOf(dele)]).toEqual([['2'], ['1']])
      expect((await entity(bam)).relations).toHaveLength(1)
      expect((await entity(dele)).relations).toEqual([])
      expect((await entity(bam)).merge_history).toMatchObject([{ kind: 'person', undone_by: userId }])
      const both = person('Dele', { login: 'bam', email: 'dele@example.com' })
      await putRecords(call, sandbox, [message('3', 'That is me.', both, 3)])
      expect((await entity(bam)).canonical_id).not.toBe((await entity(dele)).canonical_id)
      expect(await decide(`${dele}/merges/${merged.merge_id}/undo`)).toMatchObject({
        status: 409,
        body: { error: 'conflict', reason: 'merge_undone' },
      })
      expect((await decide(`${bam}/merge`, { into: dele })).status).toBe(200)
      expect((await entity(bam)).canonical_id).toBe(dele)
    })

    it('is rejected for unknown entities, for different types, and for invalid input', async () => {
      const { dele, bam } = await makeTwo()
      await putRecords(call, sandbox, [{ external_id: 'p', type: 'project', title: 'Harbour' }])
      const harbour = await find('Harbour')
      for (const [path, into] of [
        [UNKNOWN, dele],
        [dele, UNKNOWN],
        [dele, 'nonsense'],
        ['nonsense', dele],
      ]) {
        expect((await decide(`${path}/merge`, { into })).status).toBe(404)
      }
      expect(await decide(`${bam}/merge`, { into: harbour })).toMatchObject({
        status: 409,
        body: { reason: 'types_differ' },
      })
      for (const body of [{}, { into: 1 }, { into: '' }]) expect((await decide(`${bam}/merge`, body)).status).toBe(422)
      expect((await decide(`${dele}/merges/mrg_${'0'.repeat(26)}/undo`)).status).toBe(404)
    })
  })

  describe('a merge by an identifier', () => {
    it('names the identifier, and a person can undo it permanently', async () => {
      const { dele, bam } = await makeTwo()
      const both = person('Dele', { login: 'bam', email: 'dele@example.com' })
      const says = message('3', 'That is me.', both, 3)
      await putRecords(call, sandbox, [says])
      const [merge] = (await entity(dele)).merge_history
      expect(merge).toMatchObject({ kind: 'identifier', decided_by: null })
      expect(merge.reason).toMatch(/same .*dele@example\.com/)
      const away = merge.from
      expect((await decide(`${dele}/merges/${merge.merge_id}/undo`)).status).toBe(200)
      await putRecords(call, sandbox, [says, message('4', 'Once more.', both, 4)])
      expect((await entity(away)).canonical_id).toBe(away)
      expect((await entity(merge.into)).canonical_id).toBe(merge.into)
      expect(new Set([dele, bam])).toEqual(new Set([away, merge.into]))
    })
  })

  describe('a split', () => {
    it('moves names and identifiers, and their records, to a new entity that stays separate', async () => {
      const one = person('Alex', { email: ['alex.l@example.com', 'alex.o@example.com'] })
      await putRecords(call, sandbox, [
        message('1', 'One.', person('Alex L', { email: 'alex.l@example.com' })),
        message('2', 'Two.', person('Alex O', { email: 'alex.o@example.com' })),
        message('3', 'Both.', one),
      ])
      const id = await find('alex.l@example.com')
      const { status, body } = await decide(`${id}/split`, { keys: ['alex.o@example.com', 'Alex O'] })
      expect(status).toBe(200)
      expect(body.canonical_id).not.toBe(id)
      expect(await recordsOf(body.canonical_id)).toContain('2')
      expect(await recordsOf(body.canonical_id)).not.toContain('1')
      await putRecords(call, sandbox, [message('4', 'Both again.', one)])
      expect((await entity(body.canonical_id)).canonical_id).toBe(body.canonical_id)
      expect((await entity(id)).names).not.toContain('Alex O')
      const history = (await entity(id)).merge_history
      expect(history).toContainEqual(expect.objectContaining({ kind: 'split', into: body.canonical_id }))
    })

    it('is rejected for keys of other entities, and if nothing would be left', async () => {
      const { dele } = await makeTwo()
      for (const keys of [['nobody@example.com'], [], ['dele@example.com', 'Bamidele Adeyemi'], 'x', [1]]) {
        expect((await decide(`${dele}/split`, { keys })).status).toBe(422)
      }
      expect((await decide(`${UNKNOWN}/split`, { keys: ['x'] })).status).toBe(404)
    })
  })
})
