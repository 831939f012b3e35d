import { expect, it } from 'vitest'
import { archiveIdleSources } from '../../../packages/server/src/sources/registry/delete-source.ts'
import { issue, newHook, records } from '../../harness/hook.ts'
import { onEachApp } from '../../harness/test-app.ts'

const HOUR_MS = 3_600_000
const EVENT = { 'x-github-event': 'issues' }
const INACTIVE = { status: 409, body: { error: 'conflict', reason: 'sandbox_not_active' } }

onEachApp((app) => {
  const makeEphemeral = async (provider = 'github') => {
    const hook = await newHook(app(), provider)
    await app().cairn.app.sql.transact(hook.account.userId, (tx) =>
      tx
        .updateTable('source')
        .set({ kind: 'ephemeral', last_seen_at: app().clock.now() })
        .where('id', '=', hook.sourceId)
        .execute(),
    )
    app().cairn.app.deliveries.sources.invalidate(hook.sandboxId)
    const status = async () =>
      (await hook.account.call('GET', `${hook.storage}/sources/${hook.sourceId}`)).body.status as string
    return { ...hook, status }
  }

  it('an inactive sandbox accepts no deliveries, and accepts them again when it is active', async () => {
    const hook = await newHook(app(), 'github')
    for (const verb of ['suspend', 'archive']) {
      expect((await hook.account.call('POST', `${hook.storage}/${verb}`)).status).toBe(200)
      expect(await hook.send(issue(1, 'Lost?'), EVENT), verb).toMatchObject(INACTIVE)
      expect((await hook.account.call('POST', `${hook.storage}/reactivate`)).status).toBe(200)
    }
    expect((await hook.send(issue(1, 'Not lost'), EVENT)).status).toBe(204)
    expect(await records(app(), hook, 1)).toMatchObject([{ title: 'Not lost' }])
  })

  it('a suspended account accepts no deliveries, and unauthenticated senders do not learn of it', async () => {
    const hook = await newHook(app(), 'github')
    const admin = (verb: string) => app().admin('POST', `/api/v1/admin/accounts/${hook.account.userId}/${verb}`)
    expect((await admin('suspend')).status).toBe(200)
    expect(await hook.send(issue(1, 'x'), EVENT)).toMatchObject(INACTIVE)
    expect((await app().anonymous('POST', hook.path, issue(1, 'x'))).status).toBe(401)
    expect((await admin('reactivate')).status).toBe(200)
    expect((await hook.send(issue(1, 'x'), EVENT)).status).toBe(204)
  })

  it('deliveries keep an ephemeral source alive', async () => {
    const hook = await makeEphemeral()
    for (let hour = 0; hour < 60; hour += 20) {
      app().clock.advance(20 * HOUR_MS)
      expect((await hook.send(issue(hour, 'Still here'), EVENT)).status).toBe(204)
      await archiveIdleSources(app().cairn.app)
      expect(await hook.status()).toBe('active')
    }
    app().clock.advance(25 * HOUR_MS)
    await archiveIdleSources(app().cairn.app)
    expect(await hook.status()).toBe('archived')
    expect((await hook.send(issue(99, 'Too late'), EVENT)).status).toBe(410)
  })

  it('a delivery during archiving is rejected or keeps the source alive', async () => {
    const outcomes = new Set<number>()
    for (let round = 0; round < 8; round += 1) {
      const hook = await makeEphemeral()
      // The webhook endpoint has cached that the source is active.
      expect((await hook.send(issue(0, 'First'), EVENT)).status).toBe(204)
      app().clock.advance(25 * HOUR_MS)
      const archiving = archiveIdleSources(app().cairn.app)
      if (round % 2 === 0) await archiving
      const [sent] = await Promise.all([hook.send(issue(round + 1, 'At the instant'), EVENT), archiving])
      outcomes.add(sent.status)
      expect([204, 410]).toContain(sent.status)
      expect(await hook.status()).toBe(sent.status === 204 ? 'active' : 'archived')
      await records(app(), hook, sent.status === 204 ? 2 : 1)
    }
    expect(outcomes).toContain(410)
  })

  it('an old secret is valid until its grace period ends, and the new one from its reply on', async () => {
    const hook = await newHook(app(), 'github')
    const send = (secret: string, n: number) =>
      app().anonymous('POST', hook.path, issue(n, 'x'), { authorization: `Bearer ${secret}`, ...EVENT })
    const rotate = async (grace_seconds: number) =>
      (
        await hook.account.call('POST', `${hook.storage}/sources/${hook.sourceId}/rotate-webhook-secret`, {
          grace_seconds,
        })
      ).body.webhook_signing_secret as string
    const next = await rotate(600)
    expect((await send(hook.secret, 1)).status).toBe(204)
    expect((await send(next, 2)).status).toBe(204)
    app().clock.advance(600_000 - 1)
    expect((await send(hook.secret, 3)).status).toBe(204)
    app().clock.advance(1)
    expect((await send(hook.secret, 4)).status).toBe(401)
    expect((await send(next, 4)).status).toBe(204)
    const last = await rotate(0)
    expect((await send(next, 5)).status).toBe(401)
    expect((await send(last, 5)).status).toBe(204)
  })

  it('no event is lost by rotations during deliveries', async () => {
    const hook = await newHook(app(), 'github')
    const rotations = 6
    let secret = hook.secret
    let rotating: Promise<unknown> = Promise.resolve()
    let sent = 0
    const deliver = async () => {
      for (let n = 0; n < 20; n += 1) {
        sent += 1
        const body = issue(sent, `Event ${sent}`)
        // A rejected sender waits for the new secret and sends again, at most once per rotation.
        for (let refused = 0; ; refused += 1) {
          const { status } = await app().anonymous('POST', hook.path, body, {
            authorization: `Bearer ${secret}`,
            ...EVENT,
          })
          if (status === 204) break
          expect(status).toBe(401)
          expect(refused).toBeLessThan(rotations)
          await rotating
        }
      }
    }
    const rotate = async () => {
      for (let n = 0; n < rotations; n += 1) {
        const rotated = hook.account
          .call('POST', `${hook.storage}/sources/${hook.sourceId}/rotate-webhook-secret`, {
            grace_seconds: n % 2 === 0 ? 60 : 0,
          })
          .then(({ body }) => {
            secret = body.webhook_signing_secret
          })
        rotating = rotated
        await rotated
      }
    }
    await Promise.all([deliver(), deliver(), rotate()])
    const titles = new Set((await records(app(), hook, 40)).map(({ title }) => title))
    expect(titles.size).toBe(40)
  })

  it('a rotation in another process takes effect here within a second', async () => {
    const hook = await newHook(app(), 'github')
    expect((await hook.send(issue(1, 'x'), EVENT)).status).toBe(204)
    await app().cairn.app.sql.transact(hook.account.userId, (tx) =>
      tx.deleteFrom('source_secret').where('source_id', '=', hook.sourceId).execute(),
    )
    await expect.poll(async () => (await hook.send(issue(2, 'x'), EVENT)).status, { interval: 200 }).toBe(401)
  })
})
