import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../packages/server/src/db/tables.ts'
import { agentAt } from '../harness/agent.ts'
import { type Consenting, openConsenting } from '../harness/consenting.ts'
import { onEachApp, openTestApp } from '../harness/test-app.ts'

const MINUTE_MS = 60_000
/** Tokens last an hour and are refreshed after 80% of it. */
const DUE_MS = 50 * MINUTE_MS
const EXPIRED_MS = 61 * MINUTE_MS
/** Longer than the backoff after a failed refresh, in milliseconds. */
const LATER_MS = 16 * MINUTE_MS
const LEASE_MS = 30_000

onEachApp(
  (app) => {
    let at: Consenting
    beforeEach(async () => {
      at = await openConsenting(app())
    })
    afterEach(() => at.close())

    const refreshes = () => at.as.tokenRequests.filter((each) => each.get('grant_type') === 'refresh_token').length
    const test = async (id: string) => (await at.call('POST', `${at.path(id)}/test`)).body
    const grantOf = async (id: string): Promise<Row<'oauth_grant'>> =>
      app().cairn.app.sql.transact(at.userId, (tx) =>
        tx.selectFrom('oauth_grant').selectAll().where('source_id', '=', id).executeTakeFirstOrThrow(),
      )
    const changeGrant = (id: string, change: Partial<Row<'oauth_grant'>>) =>
      app().cairn.app.sql.transact(at.userId, (tx) =>
        tx.updateTable('oauth_grant').set(change).where('source_id', '=', id).execute(),
      )
    const failToken = (answer: (response: ServerResponse, request: IncomingMessage) => unknown) => {
      at.as.intercept = (request, response, path) => {
        if (path !== '/token') return false
        answer(response, request)
        return true
      }
    }
    const revokeAtProvider = async () => {
      const token = await at.as.provider.AccessToken.find(at.hosted.tokens.at(-1) ?? '')
      const grantId = token?.grantId ?? ''
      await at.as.provider.RefreshToken.revokeByGrantId(grantId)
      await at.as.provider.AccessToken.revokeByGrantId(grantId)
    }
    const eventsOf = async (id: string): Promise<string[]> => {
      const { body } = await at.call('GET', `${at.sandbox.storage}/audit`)
      return body.events
        .filter((event: { subject_id: string }) => event.subject_id === id)
        .map(({ event }: { event: string }) => event)
    }

    describe('the token of a consent', () => {
      it('is refreshed once for twenty users in two processes, and none fails', async () => {
        const id = await at.connected()
        const env = { CAIRN_ALLOW_LOOPBACK: 'on', CAIRN_DATA: app().folder }
        const other = await openTestApp(app().cairn.app.sql, app().kind, env)
        other.clock.advance(app().clock.now().getTime() - other.clock.now().getTime() + EXPIRED_MS)
        app().clock.advance(EXPIRED_MS)
        try {
          const place = { userId: at.userId, sandboxId: at.sandbox.id, sourceId: id }
          const nodes = [app(), other].map(({ cairn }) => cairn.app.oauth.tokensOf(place))
          const tokens = await Promise.all(Array.from({ length: 20 }, (_, index) => nodes[index % 2]!.current()))
          expect([new Set(tokens).size, refreshes()]).toEqual([1, 1])
          expect((await test(id)).authorization.state).toBe('authorized')
        } finally {
          await other.cairn.close()
        }
      })

      it('is released after the lease of a killed process, which discards what it had read', async () => {
        let refreshToken = ''
        at.as.tokens = (reply) => {
          refreshToken = String(reply.refresh_token)
          return reply
        }
        const id = await at.connected()
        await at.pull(id)
        app().clock.advance(EXPIRED_MS)
        // Simulates a process that took the lease and refreshed, but died before it stored the reply.
        const until = new Date(app().clock.now().getTime() + LEASE_MS)
        await changeGrant(id, { lease_owner: 'a process that died', lease_until: until })
        const stored = await grantOf(id)
        const body = new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          client_id: at.as.tokenRequests[0]?.get('client_id') ?? '',
        })
        expect((await fetch(`${at.as.issuer}/token`, { method: 'POST', body })).status).toBe(200)
        expect(await grantOf(id)).toEqual(stored)
        app().clock.advance(LEASE_MS)
        expect(await test(id)).toMatchObject({
          health_error: 'needs_authorization',
          authorization: { state: 'needs_authorization', reason: 'grant_rejected' },
        })
        expect(refreshes()).toBe(2)
        expect((await at.call('GET', `${at.sandbox.storage}/records?source_id=${id}`)).body.count).toBe(1)
      })

      it('makes the source wait for a person if it was revoked at the provider, and this is recorded', async () => {
        const id = await at.connected({ ingestion_mode: 'polling' })
        await at.pull(id)
        await revokeAtProvider()
        const job = await at.pull(id)
        expect(job).toMatchObject({ status: 'failed', error_message: expect.stringMatching(/authorize the source/i) })
        expect(await at.source(id)).toMatchObject({
          status: 'error',
          last_error: 'needs_authorization',
          authorization: { state: 'needs_authorization', reason: 'grant_rejected', scopes: [], refreshable: false },
        })
        expect(await eventsOf(id)).toContain('source.needs_authorization')
        const asked = at.hosted.tools.asked.length
        app().clock.advance(24 * 60 * MINUTE_MS)
        app().cairn.app.poller.wake()
        expect(await at.pull(id)).toMatchObject({ status: 409, reason: 'needs_authorization' })
        expect((await test(id)).health_error).toBe('needs_authorization')
        expect(at.hosted.tools.asked).toHaveLength(asked)
        expect(refreshes()).toBe(1)
        expect((await at.call('GET', `${at.sandbox.storage}/records?source_id=${id}`)).body.count).toBe(1)
      })

      it('is kept if the server is unreachable, fails or asks to wait', async () => {
        const id = await at.connected()
        const failures: [Parameters<typeof failToken>[0], string][] = [
          [(response) => response.writeHead(503).end('{"error":"invalid_grant"}'), 'protocol_error'],
          [(response) => response.writeHead(429, { 'retry-after': '60' }).end('{}'), 'rate_limited'],
          [(_, request) => request.socket.destroy(), 'connect_failed'],
          [(response) => response.writeHead(400).end('{"error":"invalid_request"}'), 'auth_rejected'],
        ]
        app().clock.advance(DUE_MS)
        for (const [answer] of failures) {
          failToken(answer)
          // The token is valid for ten more minutes and is used meanwhile.
          expect((await test(id)).health_error).toBeNull()
          await changeGrant(id, { lease_until: null })
        }
        app().clock.advance(EXPIRED_MS - DUE_MS)
        for (const [answer, health] of failures) {
          failToken(answer)
          expect(await test(id), health).toMatchObject({ health_error: health, authorization: { state: 'authorized' } })
          const asked = at.as.count('/token')
          // The backoff prevents an immediate retry.
          expect((await test(id)).health_error).toBe('connect_failed')
          expect(at.as.count('/token')).toBe(asked)
          app().clock.advance(LATER_MS)
        }
        at.as.intercept = () => false
        expect(await test(id)).toMatchObject({ status: 'active', health_error: null })
      })

      it('ends the consent and the registration if the client is unknown', async () => {
        const id = await at.connected()
        app().clock.advance(EXPIRED_MS)
        failToken((response) => response.writeHead(401).end('{"error":"invalid_client"}'))
        expect((await test(id)).authorization).toMatchObject({
          state: 'needs_authorization',
          reason: 'client_rejected',
        })
        at.as.intercept = () => false
        const { body } = await at.call('POST', `${at.path(id)}/authorize`, {})
        expect((await at.complete(id, body.authorization.url)).body.authorization.state).toBe('authorized')
        expect(at.as.count('/reg')).toBe(2)
      })

      it('keeps the old refresh token if a reply has none', async () => {
        await at.close()
        at = await openConsenting(app(), { rotates: false })
        const id = await at.connected()
        at.as.tokens = ({ refresh_token: _, ...reply }) => reply
        for (const times of [1, 2]) {
          app().clock.advance(EXPIRED_MS)
          expect((await test(id)).health_error).toBeNull()
          expect(refreshes()).toBe(times)
        }
      })

      it('without a usable lifetime is refreshed only when the server rejects it', async () => {
        for (const [expires_in, isKnown] of [
          [undefined, false],
          [0, false],
          ['3600', true],
        ] as const) {
          at.as.tokens = ({ expires_in: _, ...reply }) => ({
            ...reply,
            ...(expires_in !== undefined && { expires_in }),
          })
          const id = await at.connected({ app_namespace: `expires-${expires_in}` })
          const { refresh_at: due, expires_at: end } = await grantOf(id)
          expect([due !== null, end !== null], String(expires_in)).toEqual([isKnown, isKnown])
          const before = refreshes()
          app().clock.advance(EXPIRED_MS)
          expect((await test(id)).health_error).toBeNull()
          expect(refreshes() - before).toBe(isKnown ? 1 : 0)
        }
      })

      it('is refreshed once when a server rejects it; if the new one is rejected too, the source fails', async () => {
        const id = await at.connected()
        at.hosted.isClosed = true
        expect((await at.pull(id)).status).toBe('failed')
        expect(refreshes()).toBe(1)
        expect((await at.source(id)).authorization).toMatchObject({
          state: 'needs_authorization',
          reason: 'token_rejected',
        })
        const asked = at.hosted.tools.asked.length
        expect((await test(id)).health_error).toBe('needs_authorization')
        expect([refreshes(), at.hosted.tools.asked.length]).toEqual([1, asked])
      })

      it('is also refreshed for a live tool; no tool is offered after the consent has ended', async () => {
        const id = await at.connected()
        const agent = agentAt(at.call, `/mcp/${at.sandbox.id}?tools=live`)
        const names = async () =>
          JSON.parse(await agent.text('find_tool', { query: '' })).tools.map(({ name }: { name: string }) => name)
        const [name] = await names()
        expect(name).toBe(`${id}__echo`)
        app().clock.advance(EXPIRED_MS)
        expect(await agent.text('call_tool', { name, arguments: '{"b": 2}' })).toContain('{"b":2}')
        expect(refreshes()).toBe(1)
        await revokeAtProvider()
        expect(JSON.stringify(await agent.run('call_tool', { name }))).toMatch(/authorize the source/i)
        expect(await names()).toEqual([])
        expect((await at.source(id)).authorization.state).toBe('needs_authorization')
      })

      it('makes the source request a missing scope in addition to the others', async () => {
        const id = await at.connected()
        at.hosted.scopeFor = (method) => (method === 'tools/call' ? 'tools:write' : undefined)
        expect((await at.pull(id)).status).toBe('failed')
        const waiting = { state: 'needs_scopes', reason: 'insufficient_scope' }
        expect(await at.source(id)).toMatchObject({ last_error: 'needs_scopes', authorization: waiting })
        expect(await eventsOf(id)).toContain('source.needs_scopes')
        const { body } = await at.call('POST', `${at.path(id)}/authorize`, {})
        const scopes = new URL(body.authorization.url).searchParams.get('scope')?.split(' ')
        expect(scopes).toEqual(expect.arrayContaining(['tools:read', 'tools:write']))
        const done = await at.complete(id, body.authorization.url)
        expect(done.body).toMatchObject({ status: 'active', authorization: { state: 'authorized' } })
        expect((await at.pull(id)).status).toBe('completed')
        // A server that keeps requesting a granted scope does not cause a third consent.
        at.hosted.scopeFor = () => 'tools:admin'
        at.hosted.tools.guard = async (_, response) =>
          Boolean(
            response
              .writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="tools:read"' })
              .end(),
          )
        expect(await test(id)).toMatchObject({ health_error: 'auth_rejected', authorization: { state: 'authorized' } })
      })

      it('needs no further consent if offline_access was not granted', async () => {
        at.as.tokens = (reply) => ({ ...reply, scope: 'tools:read' })
        const { body } = await at.registerReading()
        expect(new URL(body.authorization.url).searchParams.get('scope')).toBe('tools:read offline_access')
        const done = await at.complete(body.data_source_id, body.authorization.url)
        expect(done.body.authorization).toMatchObject({ state: 'authorized', scopes: ['tools:read'], reason: null })
        expect((await at.pull(body.data_source_id)).status).toBe('completed')
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
