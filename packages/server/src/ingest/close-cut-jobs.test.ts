import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../../../../tests/harness/test-app.ts'
import { closeCutJobs } from './close-cut-jobs.ts'
import { openJob } from './inbox.ts'

onEachApp((app) => {
  it('ends a job whose delivery died, and says that the rest is missing', async () => {
    const { call, userId } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const { sql, clock } = app().cairn.app
    const job = { userId, sandboxId: sandbox.id, id: 'job_0123456789abcdefghijklmnop', sourceId: sandbox.source }
    await sql.transact(userId, (tx) => openJob(tx, { ...job, type: 'records', createdAt: clock.now() }))
    const shown = async () => (await call('GET', `${sandbox.storage}/ingest/${job.id}`)).body
    expect((await shown()).status).toBe('queued')
    await closeCutJobs(app().cairn.app)
    expect(await shown()).toMatchObject({ status: 'completed', error_message: expect.stringContaining('cut off') })
  })
})
