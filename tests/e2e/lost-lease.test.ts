import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Planes } from '../../packages/server/src/features/handler.ts'
import { applyBatch } from '../../packages/server/src/features/ingest/apply.ts'
import type { SandboxRef } from '../../packages/server/src/features/ingest/inbox.ts'
import { Knowledge } from '../../packages/server/src/features/knowledge/knowledge.ts'
import { Stores } from '../../packages/server/src/features/knowledge/lance/stores.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const note = (id: string) => ({ external_id: id, type: 'note', text: `The ${id} barge left.` })

onEachApp((app) => {
  const letLeaseRunOut = ({ userId, sandboxId }: SandboxRef) =>
    app().cairn.app.sql.transact(userId, (tx) =>
      tx
        .updateTable('sandbox_head')
        .set({ lease_until: new Date('2020-01-01') })
        .where('sandbox_id', '=', sandboxId)
        .execute(),
    )

  /** Another process on the same stores, whose commit waits until it is let go. */
  function slowProcess(ownerId: string) {
    const { app: planes } = app().cairn
    const root = { uri: join(app().folder, 'knowledge'), options: {} }
    const knowledge = new Knowledge(new Stores(root), planes.buckets.rootOf, planes.log)
    let letGo = () => {}
    let reached = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const committing = new Promise<void>((resolve) => {
      reached = resolve
    })
    const view: Knowledge['view'] = async (sandbox, head) => {
      const seen = await knowledge.view(sandbox, head)
      const commit: typeof seen.store.commit = async (...given) => {
        reached()
        await held
        return seen.store.commit(...given)
      }
      return { ...seen, store: { ...seen.store, commit } }
    }
    const slow = { view, committed: () => undefined, erase: () => knowledge.erase }
    return { planes: { ...planes, ownerId, knowledge: slow } as unknown as Planes, committing, letGo, knowledge }
  }

  it('W9 who lost the lease of a sandbox commits nothing, although its rows are written', async () => {
    const { call, userId } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const ref = { userId, sandboxId: sandbox.id }
    await putRecords(call, sandbox, [note('first')])
    await app().cairn.app.applier.stop()
    const { body: accepted } = await call('POST', sandbox.records, { records: [note('second')] })
    await letLeaseRunOut(ref)
    const slow = slowProcess('slow')
    const late = applyBatch(slow.planes, ref, 'slow')
    await slow.committing
    await letLeaseRunOut(ref)
    const next = { ...app().cairn.app, ownerId: 'next' }
    expect(await applyBatch(next, ref, 'next')).toMatchObject({ applied: 1, completedJobs: [accepted.job_id] })
    slow.letGo()
    expect(await late).toMatchObject({ applied: 0, completedJobs: [] })
    // What the late one left in the store hinders nobody, and is never seen.
    await call('POST', sandbox.records, { records: [note('third')] })
    expect(await applyBatch(next, ref, 'next')).toMatchObject({ applied: 1 })
    const { body } = await call('GET', `${sandbox.storage}/export`)
    const lines = String(body).split('\n').filter(Boolean)
    const records = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'record')
    expect(records.map(({ external_id: id }) => id).sort()).toEqual(['first', 'second', 'third'])
    const { body: job } = await call('GET', `${sandbox.storage}/ingest/${accepted.job_id}`)
    expect(job).toMatchObject({ status: 'completed', result: { received: 1, written: 1, failed: 0 } })
    slow.knowledge.close()
  })
})
