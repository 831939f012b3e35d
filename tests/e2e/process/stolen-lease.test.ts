import { expect, it } from 'vitest'
import { applyBatch } from '../../../packages/server/src/ingest/apply.ts'
import { issue, newHook, records } from '../../harness/hook.ts'
import { onEachApp, openTestApp } from '../../harness/test-app.ts'

const EVENT = { 'x-github-event': 'issues' }
const ZOMBIE = 'a worker that hangs'
/** Longer than the test can take; the test ends the wait. */
const HELD_MS = 3_600_000

onEachApp((app) => {
  for (const moment of ['before its commit', 'after its commit'] as const) {
    it(`a worker that hangs ${moment} loses its lease, and its late results are discarded`, async () => {
      const hook = await newHook(app(), 'github')
      expect((await hook.send(issue(1, 'Before'), EVENT)).status).toBe(204)
      await records(app(), hook, 1)
      const { sql } = app().cairn.app
      const other = await openTestApp(sql, app().kind, { CAIRN_DATA: app().folder })
      const setLease = (lease: { lease_owner?: string; lease_until: Date }) =>
        sql.transact(hook.account.userId, (tx) =>
          tx.updateTable('sandbox_head').set(lease).where('sandbox_id', '=', hook.sandboxId).execute(),
        )
      const headOf = () =>
        sql.transact(hook.account.userId, (tx) =>
          tx.selectFrom('sandbox_head').selectAll().where('sandbox_id', '=', hook.sandboxId).executeTakeFirstOrThrow(),
        )
      await setLease({ lease_owner: ZOMBIE, lease_until: new Date(Date.now() + HELD_MS) })
      expect((await hook.send(issue(2, 'Contested'), EVENT)).status).toBe(204)

      const hang = hanging(other.cairn.app.knowledge, moment)
      const place = { userId: hook.account.userId, sandboxId: hook.sandboxId }
      const late = applyBatch({ ...other.cairn.app, knowledge: hang.knowledge, ownerId: ZOMBIE }, place)
      await hang.reached
      expect((await headOf()).lease_owner).toBe(ZOMBIE)
      await setLease({ lease_until: new Date(0) })
      expect(await records(app(), hook, 2)).toHaveLength(2)
      const head = await headOf()
      expect(head.lease_owner).not.toBe(ZOMBIE)

      hang.goOn()
      expect(await late).toMatchObject({ applied: 0, completedJobs: [] })
      // Meanwhile the service that holds the lease renews it and runs record linkage.
      const { lease_until: _, lease_owner: __, lease_epoch: ___, compared_seq: ____, ...now } = await headOf()
      expect(head).toMatchObject(now)
      const jobs = await sql.transact(hook.account.userId, (tx) =>
        tx.selectFrom('job').select(['status', 'result']).where('source_id', '=', hook.sourceId).execute(),
      )
      expect(jobs.map(({ status, result }) => [status, result?.written])).toEqual(Array(2).fill(['completed', 1]))
      // The sandbox still works normally.
      expect((await hook.send(issue(3, 'After'), EVENT)).status).toBe(204)
      const titles = (await records(app(), hook, 3)).map(({ title }) => title)
      expect(titles.sort()).toEqual(['After', 'Before', 'Contested'])
      await other.cairn.close()
    })
  }
})

/** Wraps the knowledge store so that a commit waits before or after it is made, until `goOn`. */
function hanging<K extends object>(knowledge: K, moment: 'before its commit' | 'after its commit') {
  const [reached, goOn] = [newGate(), newGate()]
  const hang = async () => {
    reached.resolve()
    await goOn.promise
  }
  const store = (real: object) =>
    instead(real, 'commit', async (commit, ...given) => {
      if (moment === 'before its commit') await hang()
      const head = await commit(...given)
      if (moment === 'after its commit') await hang()
      return head
    })
  const shown = instead(knowledge, 'view', async (look, ...given) => {
    const view = (await look(...given)) as { store: object }
    return new Proxy(view, { get: (own, name) => (name === 'store' ? store(own.store) : Reflect.get(own, name, own)) })
  })
  return { knowledge: shown, reached: reached.promise, goOn: () => goOn.resolve() }
}

type Work = (...given: unknown[]) => Promise<unknown>

/** Returns a proxy of the object with one method replaced. The replacement receives the original method. */
function instead<T extends object>(
  real: T,
  method: string,
  work: (own: Work, ...given: unknown[]) => Promise<unknown>,
): T {
  return new Proxy(real, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target)
      if (typeof own !== 'function') return own
      const bound = own.bind(target) as Work
      return name === method ? (...given: unknown[]) => work(bound, ...given) : bound
    },
  })
}

function newGate() {
  let resolve = () => {}
  const promise = new Promise<void>((go) => {
    resolve = go
  })
  return { promise, resolve: () => resolve() }
}
