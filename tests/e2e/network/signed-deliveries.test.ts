import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Hook, issue, newHook, records } from '../../harness/hook.ts'
import { type Answer, onEachApp } from '../../harness/test-app.ts'

const SECRET = 'the provider’s own secret'
const MINUTE_MS = 60_000

const hmac = (secret: string, signed: string) => createHmac('sha256', secret).update(signed).digest('hex')
const stable = ({ status, headers, body: { request_id: _, ...body } }: Answer) => ({
  status,
  challenge: headers['www-authenticate'],
  body,
})

/** A provider's authentication scheme: the body sent at a given time, and the headers that sign it. */
interface Sender {
  provider: string
  body(nowMs: number): unknown
  headers(secret: string, body: string, nowMs: number): Record<string, string>
  /** Milliseconds for which a replayed delivery is accepted; unlimited if omitted. */
  livesMs?: number
}

const seconds = (ms: number) => String(Math.floor(ms / 1000))
const SENDERS: Sender[] = [
  {
    provider: 'github',
    body: () => issue(1, 'Signed'),
    headers: (secret, body) => ({ 'x-github-event': 'issues', 'x-hub-signature-256': `sha256=${hmac(secret, body)}` }),
  },
  {
    provider: 'slack',
    body: (nowMs) => ({
      type: 'event_callback',
      team_id: 'T1',
      event_id: `Ev${nowMs}`,
      event: { type: 'message', channel: 'C1', user: 'U1', text: 'Signed', ts: `${seconds(nowMs)}.000100` },
    }),
    headers: (secret, body, nowMs) => ({
      'x-slack-request-timestamp': seconds(nowMs),
      'x-slack-signature': `v0=${hmac(secret, `v0:${seconds(nowMs)}:${body}`)}`,
    }),
    livesMs: 5 * MINUTE_MS,
  },
  {
    provider: 'linear',
    body: (nowMs) => ({
      action: 'update',
      type: 'Issue',
      webhookTimestamp: nowMs,
      data: { id: '5d3f', identifier: 'API-1', title: 'Signed', updatedAt: '2026-05-04T10:00:00Z' },
    }),
    headers: (secret, body) => ({ 'linear-signature': hmac(secret, body) }),
    livesMs: MINUTE_MS,
  },
  {
    provider: 'jira',
    body: () => ({
      webhookEvent: 'jira:issue_updated',
      issue: { id: '10001', key: 'API-1', fields: { summary: 'Signed', updated: '2026-05-04T10:00:00.000+0000' } },
    }),
    headers: (secret, body) => ({ 'x-hub-signature': `sha256=${hmac(secret, body)}` }),
  },
  {
    provider: 'acme-crm',
    body: () => ({ id: 'r1', title: 'Signed', text: 'Kept' }),
    headers: (secret, body) => ({ 'x-signature-256': `sha256=${hmac(secret, body)}` }),
  },
]

onEachApp((app) => {
  const sign = async (hook: Hook, secret: string | null) => {
    const path = `${hook.storage}/sources/${hook.sourceId}`
    expect((await hook.account.call('PATCH', path, { provider_signing_secret: secret })).status).toBe(200)
  }
  const nowMs = () => app().clock.now().getTime()
  const deliver = ({ path }: Hook, sender: Sender, secret: string, body = JSON.stringify(sender.body(nowMs()))) =>
    app().anonymous('POST', path, body, sender.headers(secret, body, nowMs()))

  describe.each(SENDERS)('a delivery that $provider signed', (sender) => {
    const { provider } = sender

    it('is accepted by its source, and is recognized when it is repeated', async () => {
      const hook = await newHook(app(), provider)
      await sign(hook, SECRET)
      const body = JSON.stringify(sender.body(nowMs()))
      expect(await deliver(hook, sender, SECRET, body)).toMatchObject({ status: 204, body: '' })
      expect((await deliver(hook, sender, SECRET, body)).status).toBe(200)
      expect(JSON.stringify(await records(app(), hook, 1))).toContain('Signed')
    })

    it('is the same 401 with another secret, body or source, and without a signature', async () => {
      const [hook, other] = [await newHook(app(), provider), await newHook(app(), provider)]
      await sign(hook, SECRET)
      const wrong = stable(await app().anonymous('POST', hook.path, {}, { authorization: 'Bearer cairnhook_wrong' }))
      expect(wrong).toMatchObject({ status: 401, challenge: 'Bearer' })
      const body = JSON.stringify(sender.body(nowMs()))
      const headers = sender.headers(SECRET, body, nowMs())
      const refused = [
        await deliver(hook, sender, `${SECRET}x`),
        await app().anonymous('POST', hook.path, body.replace('Signed', 'Forged'), headers),
        await app().anonymous('POST', hook.path, body),
        await deliver(other, sender, SECRET),
        await deliver(other, sender, ''),
        await app().anonymous('POST', hook.path, body, { ...headers, authorization: 'Bearer cairnhook_wrong' }),
      ]
      for (const reply of refused) expect(stable(reply)).toEqual(wrong)
      expect((await app().anonymous('POST', hook.path, body, headers)).status).toBe(204)
    })
  })

  describe.each(SENDERS.filter(({ livesMs }) => livesMs))('a recorded delivery of $provider', (sender) => {
    it('is 401 if it is older than its provider allows', async () => {
      const hook = await newHook(app(), sender.provider)
      await sign(hook, SECRET)
      const body = JSON.stringify(sender.body(nowMs()))
      const headers = sender.headers(SECRET, body, nowMs())
      app().clock.advance((sender.livesMs ?? 0) + 1000)
      expect((await app().anonymous('POST', hook.path, body, headers)).status).toBe(401)
      expect((await deliver(hook, sender, SECRET)).status).toBe(204)
    })
  })

  describe('the signing secret of a provider', () => {
    const github = SENDERS[0] as Sender

    it('applies from the next delivery when it is set, replaced or removed, and the bearer stays valid', async () => {
      const hook = await newHook(app(), 'github')
      expect((await deliver(hook, github, SECRET)).status).toBe(401)
      await sign(hook, SECRET)
      expect((await deliver(hook, github, SECRET)).status).toBe(204)
      await sign(hook, 'another')
      expect((await deliver(hook, github, SECRET)).status).toBe(401)
      expect((await deliver(hook, github, 'another')).status).toBe(200)
      await sign(hook, null)
      expect((await deliver(hook, github, 'another')).status).toBe(401)
      expect((await hook.send(issue(2, 'By bearer'), { 'x-github-event': 'issues' })).status).toBe(204)
    })

    it('authenticates a sender to an inactive source: 409 if paused, 410 if disconnected', async () => {
      const hook = await newHook(app(), 'github')
      await sign(hook, SECRET)
      const path = `${hook.storage}/sources/${hook.sourceId}`
      await hook.account.call('POST', `${path}/pause`)
      expect((await deliver(hook, github, SECRET)).status).toBe(409)
      await hook.account.call('POST', `${path}/disconnect`)
      expect((await deliver(hook, github, SECRET)).status).toBe(410)
      expect((await deliver(hook, github, 'another')).status).toBe(401)
    })
  })
})
