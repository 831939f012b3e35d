import { beforeEach, describe, expect, it } from 'vitest'
import { message, person } from '../../harness/people-and-messages.ts'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'

const NDJSON = { 'content-type': 'application/x-ndjson', prefer: 'wait=30' }

const DELE = person('Bamidele Adeyemi', { email: 'dele@example.com' })
const BAM = person('bam', { login: 'bam' })
const BOTH = person('Dele', { login: 'bam', email: 'dele@example.com' })

onEachApp((app) => {
  let call: Call
  let userId: string
  let home: TestSandbox

  beforeEach(async () => {
    ;({ call, userId } = await app().newAccount())
    home = await newSandbox(call)
  })

  const find = async ({ storage }: TestSandbox, q: string): Promise<string> => {
    const { body } = await call('GET', `${storage}/entities/search?q=${encodeURIComponent(q)}`)
    return body.results[0]?.canonical_id ?? 'none'
  }
  const entity = async ({ storage }: TestSandbox, id: string): Promise<Answer['body']> =>
    (await call('GET', `${storage}/entities/${id}`)).body
  const decide = async ({ storage }: TestSandbox, path: string, body?: unknown) => {
    const answer = await call('POST', `${storage}/entities/${path}`, body)
    expect(answer.status).toBe(200)
    return answer.body
  }
  const exported = async ({ storage }: TestSandbox): Promise<string> =>
    String((await call('GET', `${storage}/export`)).body)
  const decisionsIn = (lines: string) =>
    lines
      .split('\n')
      .filter((line) => line.includes('"kind":"decision"'))
      .map((line) => JSON.parse(line))
  const bring = async (lines: string, { storage }: TestSandbox) =>
    (await call('POST', `${storage}/import`, lines, NDJSON)).body
  const moved = async (): Promise<TestSandbox> => {
    const away = await newSandbox(call, 'Away')
    expect(await bring(await exported(home), away)).toMatchObject({ status: 'completed', result: { failed: 0 } })
    return away
  }
  const manualSource = async (sandbox: TestSandbox, name: string): Promise<TestSandbox> => {
    const { body } = await call('POST', `${sandbox.storage}/sources`, { provider: 'wiki', name })
    return { ...sandbox, records: `${sandbox.storage}/sources/${body.data_source_id}/records` }
  }

  const mergeTwo = async () => {
    await putRecords(call, home, [message('1', 'I begin on 6 July.', DELE), message('2', 'Fixed.', BAM, 2)])
    const [dele, bam] = [await find(home, 'dele@example.com'), await find(home, 'bam')]
    return { dele, bam, merged: await decide(home, `${bam}/merge`, { into: dele }) }
  }

  describe('an imported export', () => {
    it("keeps a person's merge, attributed to the importer", async () => {
      await mergeTwo()
      const away = await moved()
      const one = await entity(away, await find(away, 'bam'))
      expect(one).toMatchObject({ name: 'Bamidele Adeyemi', record_count: 2 })
      expect(one.merge_history).toMatchObject([{ kind: 'person', decided_by: userId, undone_at: null }])
      expect((await entity(away, one.merge_history[0].from)).canonical_id).toBe(one.canonical_id)
      expect(decisionsIn(await exported(away))).toEqual(decisionsIn(await exported(home)))
    })

    it('keeps merges of entities that only their records name', async () => {
      const wiki = await manualSource(home, 'Wiki')
      await putRecords(call, home, [{ external_id: 'p', type: 'page', title: 'Runbook', text: 'Restart it.' }])
      await putRecords(call, wiki, [{ external_id: 'p', type: 'page', title: 'Run book', text: 'Start it anew.' }])
      const [one, other] = [await find(home, 'Runbook'), await find(home, 'Run book')]
      await decide(home, `${other}/merge`, { into: one })
      const away = await moved()
      expect(await find(away, 'Run book')).toBe(await find(away, 'Runbook'))
    })

    it('keeps names and identifiers that a person moved to another entity', async () => {
      await putRecords(call, home, [
        message('1', 'One.', person('Alex L', { email: 'alex.l@example.com' })),
        message('2', 'Two.', person('Alex O', { email: 'alex.o@example.com' })),
        message('3', 'Both.', person('Alex', { email: ['alex.l@example.com', 'alex.o@example.com'] })),
      ])
      await decide(home, `${await find(home, 'alex.l@example.com')}/split`, { keys: ['alex.o@example.com', 'Alex O'] })
      const away = await moved()
      const [one, other] = [await find(away, 'alex.l@example.com'), await find(away, 'alex.o@example.com')]
      expect(one).not.toBe(other)
      expect((await entity(away, one)).names).not.toContain('Alex O')
      expect((await entity(away, other)).names).toContain('Alex O')
      expect(decisionsIn(await exported(away))).toHaveLength(1)
    })

    it('keeps an undone merge, although its evidence is imported too', async () => {
      await putRecords(call, home, [message('1', 'Hello.', DELE), message('2', 'Fixed.', BAM, 2)])
      await putRecords(call, home, [message('3', 'That is me.', BOTH, 3)])
      const [merge] = (await entity(home, await find(home, 'bam'))).merge_history
      await decide(home, `${merge.into}/merges/${merge.merge_id}/undo`)
      const away = await moved()
      expect(await find(away, 'Bamidele Adeyemi')).not.toBe(await find(away, 'bam'))
      await putRecords(call, away, [message('4', 'That is still me.', BOTH, 4)])
      expect(await find(away, 'Bamidele Adeyemi')).not.toBe(await find(away, 'bam'))
    })

    it('does not undo decisions made in the target sandbox', async () => {
      const { dele, merged } = await mergeTwo()
      const before = await exported(home)
      await decide(home, `${dele}/merges/${merged.merge_id}/undo`)
      await bring(before, home)
      expect(await find(home, 'bam')).not.toBe(dele)
      const apart = await exported(home)
      await decide(home, `${await find(home, 'bam')}/merge`, { into: dele })
      await bring(apart, home)
      expect(await find(home, 'bam')).toBe(dele)
    })

    it('contains no decisions for a caller limited to a project, and takes none from them', async () => {
      const { dele, merged } = await mergeTwo()
      const all = await exported(home)
      expect(decisionsIn(all)).toHaveLength(1)
      await decide(home, `${dele}/merges/${merged.merge_id}/undo`)
      const { body } = await call('POST', `${home.storage}/projects`, { name: 'Code', data_source_ids: [home.source] })
      const limited = await app().newAccount()
      const grant = { user_id: limited.userId, role: 'editor', project_id: body.project_id }
      await call('POST', `${home.storage}/connections`, grant)
      const seen = String((await limited.call('GET', `${home.storage}/export`)).body)
      expect(seen).toContain('I begin on 6 July.')
      expect(decisionsIn(seen)).toEqual([])
      const away = await newSandbox(call, 'Away')
      const decision = JSON.stringify(decisionsIn(all)[0])
      await putRecords(call, away, [message('1', 'I begin on 6 July.', DELE), message('2', 'Fixed.', BAM, 2)])
      const { body: project } = await call('POST', `${away.storage}/projects`, { name: 'Code', data_source_ids: [] })
      await call('POST', `${away.storage}/connections`, { ...grant, project_id: project.project_id })
      const taken = await limited.call('POST', `${away.storage}/import`, decision, NDJSON)
      expect(taken.body).toMatchObject({ status: 'completed', result: { received: 0 } })
      expect(await find(away, 'bam')).not.toBe(await find(away, 'dele@example.com'))
      await bring(decision, away)
      expect(await find(away, 'bam')).toBe(await find(away, 'dele@example.com'))
    })

    it('names the line of an invalid decision, and skips one about missing entities', async () => {
      const lines = [
        {
          kind: 'decision',
          are: 'three',
          type: 'person',
          one: ['email:a@example.com'],
          other: ['email:b@example.com'],
        },
        { kind: 'decision', are: 'one', type: 'person', one: ['email:a@example.com'], other: ['email:b@example.com'] },
        { kind: 'decision', are: 'one', type: 'person', one: [], other: [{}] },
      ]
      const { status, result } = await bring(lines.map((line) => JSON.stringify(line)).join('\n'), home)
      expect(status).toBe('completed')
      expect(result).toMatchObject({ received: 2, failed: 2, errors: [{ line: 1 }, { line: 3 }] })
    })
  })
})
