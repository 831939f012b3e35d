import { expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords } from '../../../../tests/harness/test-app.ts'
import { dropJobs } from './delivery-jobs.ts'

const DAY_MS = 86_400_000

onEachApp((app) => {
  it('a job is deleted after its retention, unless part of it is not yet applied', async () => {
    const { userId, call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const { sql, clock } = app().cairn.app
    const ids: string[] = []
    for (const [at, days] of [91, 91, 89].entries()) {
      await putRecords(call, sandbox, [{ external_id: `r${at}`, type: 'note', text: 'Words.' }])
      const ended = new Date(clock.now().getTime() - days * DAY_MS)
      const rows = await sql.transact(userId, (tx) =>
        tx.selectFrom('job').select('id').where('sandbox_id', '=', sandbox.id).orderBy('id').execute(),
      )
      const id = rows.map((row) => row.id).find((each) => !ids.includes(each))!
      ids.push(id)
      await sql.transact(userId, (tx) =>
        tx.updateTable('job').set({ created_at: ended, completed_at: ended }).where('id', '=', id).execute(),
      )
    }
    await sql.transact(userId, (tx) =>
      tx
        .insertInto('inbox')
        .values({
          user_id: userId,
          sandbox_id: sandbox.id,
          source_id: null,
          job_id: ids[1]!,
          kind: 'records',
          payload: '{"provider":"generic","records":[]}',
          record_count: 0,
          attempts: 99,
          received_at: clock.now(),
        })
        .execute(),
    )
    await dropJobs(app().cairn.app)
    const left = await Promise.all(ids.map((id) => call('GET', `${sandbox.storage}/ingest/${id}`)))
    expect(left.map(({ status }) => status)).toEqual([404, 200, 200])
  })
})
