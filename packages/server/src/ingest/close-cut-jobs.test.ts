import { expect, it } from 'vitest'
import { newSandbox, onEachApp } from '../../../../tests/harness/test-app.ts'
import { newId } from '../base/id.ts'
import { closeCutJobs } from './close-cut-jobs.ts'
import { countReceived, openJob } from './inbox.ts'

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

  it('ends what a dead process had accepted as failed, and nothing that another one reads', async () => {
    const { call, userId } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const { sql, clock } = app().cairn.app
    const readBy = async (owner: string) => {
      const place = { userId, sandboxId: sandbox.id, sourceId: sandbox.source }
      const job = { ...place, id: newId('job', clock) }
      await sql.transact(userId, async (tx) => {
        await openJob(tx, { ...job, type: 'import', createdAt: clock.now() })
        await countReceived(tx, job, { accepted: owner }, clock.now())
      })
      return async () => (await call('GET', `${sandbox.storage}/ingest/${job.id}`)).body
    }
    const [dead, alive] = [await readBy('dead'), await readBy('alive')]
    await closeCutJobs(app().cairn.app, 'dead')
    expect(await dead()).toMatchObject({ status: 'failed', error_message: expect.stringContaining('send the whole') })
    expect(await alive()).toMatchObject({ status: 'queued', error_message: null })
    expect((await alive()).result).not.toHaveProperty('accepted')
  })
})
