import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { CHANGE_RETENTION_DAYS, dropOldChanges } from '../../packages/server/src/store/changes.ts'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'
import { openWebhookReceiver } from '../harness/webhook-receiver.ts'

const note = (id: string) => ({ external_id: id, type: 'note', title: `Note ${id}` })

onEachApp(
  (app) => {
    it('changes are dropped after a month, and a consumer that missed them is informed', async () => {
      const { call, userId } = await app().newAccount()
      const sandbox = await newSandbox(call)
      const receiver = await openWebhookReceiver()
      const made = await call('POST', `${sandbox.storage}/webhooks`, { url: receiver.url, events: ['record.added'] })
      const one = `${sandbox.storage}/webhooks/${made.body.webhook_id}`
      await call('PATCH', one, { status: 'paused' })
      await putRecords(call, sandbox, [note('a')])
      const before = (await call('GET', `${sandbox.storage}/changes?limit=1`)).body.next_cursor
      await putRecords(call, sandbox, [note('b')])
      const place = { userId, sandboxId: sandbox.id }
      const prune = () => app().cairn.app.sql.transact(userId, (tx) => dropOldChanges(tx, place))
      await prune()
      expect((await call('GET', `${sandbox.storage}/changes?since=${before}`)).status).toBe(200)
      // Retention uses the database's clock, so the test backdates the rows.
      await app().cairn.app.sql.transact(userId, async (tx) => {
        const rows = await tx.deleteFrom('change').where('sandbox_id', '=', sandbox.id).returningAll().execute()
        const at = sql<Date>`now() - make_interval(days => ${CHANGE_RETENTION_DAYS}, mins => 1)`
        for (const row of rows) {
          await tx
            .insertInto('change')
            .values({ ...row, committed_at: at })
            .execute()
        }
      })
      await putRecords(call, sandbox, [note('c')])
      await prune()
      expect(await call('GET', `${sandbox.storage}/changes?since=${before}`)).toMatchObject({
        status: 410,
        body: { reason: 'cursor_expired' },
      })
      const { body } = await call('GET', `${sandbox.storage}/changes`)
      expect(body.changes.map(({ title }: { title: string }) => title)).toEqual(['Note c'])
      await call('PATCH', one, { status: 'active' })
      await expect.poll(() => receiver.received).toHaveLength(1)
      const { data } = receiver.received[0]?.body ?? {}
      expect([data.missed, data.changes.map(({ title }: { title: string }) => title)]).toEqual([true, ['Note c']])
      await receiver.close()
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
