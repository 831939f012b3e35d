import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sweepFlows } from '../../packages/server/src/sources/oauth/flow-sweeper.ts'
import { type Consenting, openConsenting } from '../harness/consenting.ts'
import { type Answer, onEachApp, openTestApp } from '../harness/test-app.ts'

const MINUTE_MS = 60_000
const CALLBACK = 'http://127.0.0.1:8484/api/v1/oauth/callback'
const HTML = { accept: 'text/html' }

const metadataOf = async (issuer: string) =>
  (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Record<string, unknown>

onEachApp(
  (app) => {
    let at: Consenting
    beforeEach(async () => {
      at = await openConsenting(app())
    })
    afterEach(() => at.close())

    const send = (callbackUrl: string): Promise<Answer> => {
      const { pathname, search } = new URL(callbackUrl)
      return app().anonymous('GET', `${pathname}${search}`)
    }
    const confirm = (id: string, body: object, call = at.call) =>
      call('POST', `${at.path(id)}/authorize/complete`, body)
    const count = async () => (await at.call('GET', `${at.sandbox.storage}/sources`)).body.count
    const refused = async (change: object = {}) => {
      const before = await count()
      const { status, body } = await at.register(change)
      expect([status, await count()], JSON.stringify(body)).toEqual([400, before])
      return body
    }

    describe("a source that needs a person's consent", () => {
      it('registers a client, is authorized, read, refreshed and read again', async () => {
        const { status, body } = await at.registerReading()
        expect([status, body]).toMatchObject([
          201,
          { status: 'error', health_error: 'needs_authorization', authorization: { state: 'pending' } },
        ])
        const id = body.data_source_id
        expect(await at.pull(id)).toMatchObject({ status: 409, reason: 'needs_authorization' })
        const done = await at.complete(id, body.authorization.url)
        expect([done.status, done.body]).toMatchObject([
          200,
          {
            status: 'active',
            health_error: null,
            authorization: { state: 'authorized', issuer: at.as.issuer, refreshable: true, authorized_by: at.userId },
          },
        ])
        expect(await at.pull(id)).toMatchObject({ status: 'completed' })
        app().clock.advance(50 * MINUTE_MS)
        expect(await at.pull(id)).toMatchObject({ status: 'completed' })
        const [exchange, refresh] = at.as.tokenRequests
        expect([exchange?.get('grant_type'), refresh?.get('grant_type')]).toEqual([
          'authorization_code',
          'refresh_token',
        ])
        expect([exchange?.get('resource'), refresh?.get('resource')]).toEqual([at.hosted.url, at.hosted.url])
        expect(new Set(at.hosted.tokens).size).toBe(2)
        // A second source of the sandbox uses the same registration.
        await at.register({ app_namespace: 'second' })
        expect(at.as.count('/reg')).toBe(1)
      })

      it('uses a client that the user registered beforehand and registers none', async () => {
        await at.close()
        const client_id = 'registered-before'
        const client_secret = 'the-secret-of-the-client'
        const client = { client_id, client_secret, redirect_uris: [CALLBACK], application_type: 'native' as const }
        const grants = { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code' as const] }
        at = await openConsenting(app(), { clients: [{ ...client, ...grants }] })
        const id = await at.connected({ client_id, client_secret })
        expect(at.as.count('/reg')).toBe(0)
        const shown = await at.source(id)
        expect(shown.adapter_config.client_id).toBe(client_id)
        expect(JSON.stringify(shown)).not.toContain(client_secret)
      })

      it('shows the redirect URI if no client can be registered', async () => {
        await at.close()
        at = await openConsenting(app(), { hasRegistration: false })
        const body = await refused()
        expect(body.error).toBe('oauth_client_required')
        expect(body.detail).toContain(CALLBACK)
      })

      it('reports that the authorization server refused to register a client', async () => {
        at.as.intercept = (_, response, path) => path === '/reg' && Boolean(response.writeHead(403).end('{}'))
        expect((await refused()).error).toBe('oauth_registration_refused')
      })

      it("finds the metadata at the server's path and root, and works without it", async () => {
        at.hosted.challenge = () => undefined
        expect((await at.register({ app_namespace: 'path' })).body.authorization.issuer).toBe(at.as.issuer)
        at.hosted.metadataPath = '/.well-known/oauth-protected-resource'
        expect((await at.register({ app_namespace: 'root' })).body.authorization.issuer).toBe(at.as.issuer)
        at.hosted.metadataPath = undefined
        expect((await refused({ app_namespace: 'none' })).error).toBe('oauth_not_offered')
        // A server that predates RFC 9728 is its own issuer.
        const { origin } = new URL(at.hosted.url)
        const document = await metadataOf(at.as.issuer)
        const own = { ...document, issuer: `${origin}/`, authorization_response_iss_parameter_supported: false }
        at.hosted.documents['/.well-known/oauth-authorization-server'] = own
        const { body } = await at.register({ app_namespace: 'own' })
        expect(body.authorization.issuer).toBe(`${origin}/`)
        const sentTo = new URL(await at.as.consent(body.authorization.url))
        // The redirect URI identifies the issuer if the reply does not.
        expect(sentTo.pathname).toMatch(/^\/api\/v1\/oauth\/callback\/[\w-]{22}$/)
        sentTo.searchParams.delete('iss')
        const page = await app().anonymous('GET', `${sentTo.pathname}${sentTo.search}`, undefined, HTML)
        const done = await confirm(body.data_source_id, { code: at.codeOn(page) })
        expect(done.body.authorization).toMatchObject({ state: 'authorized', issuer: `${origin}/` })
      })

      it('rejects a reply with another issuer', async () => {
        at.as.metadata = (document) => ({ ...document, authorization_response_iss_parameter_supported: false })
        const { body } = await at.register()
        const sentTo = new URL(await at.as.consent(body.authorization.url))
        sentTo.pathname = `${sentTo.pathname.slice(0, -1)}${sentTo.pathname.endsWith('A') ? 'B' : 'A'}`
        expect(await send(sentTo.href)).toMatchObject({ status: 400, body: { reason: 'state_invalid' } })
        expect(at.as.tokenRequests).toEqual([])
      })

      it('finds its challenge among those of other schemes', async () => {
        const { origin } = new URL(at.hosted.url)
        at.hosted.metadataPath = '/elsewhere'
        const metadata = `resource_metadata="${origin}/elsewhere"`
        at.hosted.challenge = () => `Basic realm="a, Bearer b", Bearer ${metadata}, scope="tools:write"`
        const { body } = await at.register()
        expect(new URL(body.authorization.url).searchParams.get('scope')).toBe('tools:write offline_access')
      })

      it('needs consent even if only tool calls require a token', async () => {
        at.hosted.isGuarded = (method) => method === 'tools/call'
        const id = await at.connected()
        expect(await at.pull(id)).toMatchObject({ status: 'completed' })
        expect(at.hosted.tokens).toHaveLength(1)
      })

      it('is rejected without PKCE, with another issuer or resource, and without a web address', async () => {
        const { code_challenge_methods_supported: _, ...rest } = await metadataOf(at.as.issuer)
        at.as.metadata = () => rest
        expect((await refused()).error).toBe('oauth_pkce_unsupported')
        at.as.metadata = (document) => ({ ...document, issuer: 'https://other.example' })
        expect((await refused()).error).toBe('oauth_issuer_mismatch')
        for (const url of ['javascript:alert(1)', 'data:text/html,x', 'http://as.example/authorize', 'app://open']) {
          at.as.metadata = (document) => ({ ...document, authorization_endpoint: url })
          expect((await refused()).error, url).toBe('oauth_not_offered')
        }
        at.as.metadata = (document) => document
        at.hosted.metadata = (document) => ({ ...document, resource: 'https://other.example/mcp' })
        expect((await refused()).error).toBe('oauth_resource_mismatch')
        expect(at.as.count('/reg')).toBe(0)
      })

      it('calls no private address from metadata, and follows no redirect of metadata', async () => {
        const inner = 'https://10.0.0.1/metadata'
        at.hosted.challenge = () => `Bearer resource_metadata="${inner}"`
        const blocked = { status: 'error', health_error: 'blocked_address' }
        const first = await at.register({ app_namespace: 'challenge' })
        expect(first.body).toMatchObject({ ...blocked, authorization: { state: 'needs_authorization', url: null } })
        at.hosted.challenge = () => undefined
        at.hosted.metadata = (document) => ({
          ...document,
          authorization_servers: ['https://192.168.1.1', at.as.issuer],
        })
        expect((await at.register({ app_namespace: 'issuer' })).body).toMatchObject(blocked)
        at.hosted.metadata = (document) => document
        for (const endpoint of ['token_endpoint', 'registration_endpoint', 'revocation_endpoint']) {
          at.as.metadata = (document) => ({ ...document, [endpoint]: 'https://169.254.169.254/token' })
          expect((await at.register({ app_namespace: endpoint })).body, endpoint).toMatchObject(blocked)
        }
        at.as.metadata = (document) => document
        const target = `${at.as.issuer}/.well-known/moved`
        at.as.intercept = (_, response, path) =>
          path.startsWith('/.well-known/') && Boolean(response.writeHead(302, { location: target }).end())
        expect((await refused({ app_namespace: 'redirect' })).error).toBe('oauth_not_offered')
        expect(at.as.asked).not.toContain('/.well-known/moved')
        expect([at.as.count('/reg'), at.as.tokenRequests.length]).toEqual([0, 0])
      })
    })

    describe('the callback', () => {
      it('accepts only the exact issuer, and shows no text of a reply', async () => {
        const before = await at.register()
        const id = before.body.data_source_id
        const url = async () => (await at.call('POST', `${at.path(id)}/authorize`, {})).body.authorization.url
        for (const iss of ['https://other.example', `${at.as.issuer}/`, undefined]) {
          const sentTo = new URL(await at.as.consent(await url()))
          sentTo.searchParams.delete('iss')
          if (iss !== undefined) sentTo.searchParams.set('iss', iss)
          sentTo.searchParams.set('error_description', 'call 555-0100')
          expect(await send(sentTo.href), iss).toMatchObject({ status: 400, body: { reason: 'oauth_issuer_mismatch' } })
        }
        expect(at.as.tokenRequests).toEqual([])
        at.as.isDenying = true
        const sentTo = new URL(await at.as.consent(await url()))
        sentTo.searchParams.set('error_description', 'call 555-0100')
        const page = await app().anonymous('GET', `${sentTo.pathname}${sentTo.search}`, undefined, HTML)
        expect([page.status, page.body]).toEqual([400, expect.stringContaining('access_denied')])
        expect(page.body).not.toContain('555-0100')
        expect((await at.source(id)).authorization).toMatchObject({
          state: 'needs_authorization',
          reason: 'access_denied',
        })
      })

      it('accepts a state once, before it expires, and only for its own source', async () => {
        const { body } = await at.register()
        const other = await at.register({ app_namespace: 'other' })
        const callback_url = await at.as.consent(body.authorization.url)
        const wrong = { status: 400, body: { error: 'state_invalid' } }
        expect(await confirm(other.body.data_source_id, { callback_url })).toMatchObject(wrong)
        expect((await confirm(body.data_source_id, { callback_url })).body.authorization.state).toBe('authorized')
        expect(await confirm(body.data_source_id, { callback_url })).toMatchObject(wrong)
        expect(await send(callback_url)).toMatchObject({ status: 400, body: { reason: 'state_invalid' } })
        const late = await at.as.consent(other.body.authorization.url)
        app().clock.advance(11 * MINUTE_MS)
        expect(await send(late)).toMatchObject({ status: 400, body: { reason: 'state_invalid' } })
        expect(await send(`${CALLBACK}?state=unknown&code=x`)).toMatchObject({ body: { reason: 'state_invalid' } })
        // A new URL invalidates the earlier one.
        const first = (await at.call('POST', `${at.path(other.body.data_source_id)}/authorize`, {})).body.authorization
          .url
        await at.call('POST', `${at.path(other.body.data_source_id)}/authorize`, {})
        expect(await send(await at.as.consent(first))).toMatchObject({ status: 400 })
      })

      it('can be handled by another process on the same database', async () => {
        const { sql: database } = app().cairn.app
        const env = { CAIRN_ALLOW_LOOPBACK: 'on', CAIRN_DATA: app().folder }
        const other = await openTestApp(database, app().kind, env)
        other.clock.advance(app().clock.now().getTime() - other.clock.now().getTime())
        try {
          const { body } = await at.register()
          const code = at.codeOn(await at.visit(body.authorization.url, other))
          expect((await confirm(body.data_source_id, { code })).body.authorization.state).toBe('authorized')
        } finally {
          await other.cairn.close()
        }
      })

      it('attaches nothing until the account that started it confirms, regardless of who opened the URL', async () => {
        const editor = await app().newAccount()
        const grant = { user_id: editor.userId, role: 'editor' }
        await at.call('POST', `${at.sandbox.storage}/connections`, grant)
        const { body } = await at.register()
        const id = body.data_source_id
        const code = at.codeOn(await at.visit(body.authorization.url))
        expect(await at.source(id)).toMatchObject({
          status: 'error',
          authorization: { state: 'confirming', url: null },
        })
        expect(at.hosted.tokens).toEqual([])
        const wrong = { status: 400, body: { error: 'state_invalid' } }
        expect(await confirm(id, { code }, editor.call)).toMatchObject(wrong)
        expect(await confirm(id, { code, callback_url: CALLBACK })).toMatchObject({ body: { error: 'code_required' } })
        expect((await confirm(id, { code: code.toLowerCase().replace('-', ' ') })).body.status).toBe('active')
      })

      it('is invalid after five wrong codes, and its tokens are revoked', async () => {
        const { body } = await at.register()
        const id = body.data_source_id
        const code = at.codeOn(await at.visit(body.authorization.url))
        const revocations = () => at.as.count('/token/revocation')
        for (let tries = 1; tries <= 5; tries += 1) {
          expect(revocations()).toBe(0)
          expect(await confirm(id, { code: 'BBBB-BBBB' })).toMatchObject({ status: 400 })
        }
        expect(revocations()).toBeGreaterThan(0)
        expect(await confirm(id, { code })).toMatchObject({ status: 400, body: { error: 'state_invalid' } })
        expect((await at.source(id)).authorization.state).toBe('needs_authorization')
      })

      it('has its tokens revoked if nobody confirms in time', async () => {
        const { body } = await at.register()
        const code = at.codeOn(await at.visit(body.authorization.url))
        await sweepFlows(app().cairn.app)
        expect(at.as.count('/token/revocation')).toBe(0)
        app().clock.advance(11 * MINUTE_MS)
        expect(await confirm(body.data_source_id, { code })).toMatchObject({ status: 400 })
        await sweepFlows(app().cairn.app)
        expect(at.as.count('/token/revocation')).toBe(2)
        expect((await at.source(body.data_source_id)).authorization.state).toBe('needs_authorization')
      })

      it('ignores the Host header of a request', async () => {
        const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
        const body = { name: 'Hosted', base_url: at.hosted.url, auth_kind: 'oauth' }
        const { body: made } = await at.call('POST', `${at.sandbox.storage}/sources/user-mcp`, body, headers)
        expect(new URL(made.authorization.url).searchParams.get('redirect_uri')).toBe(CALLBACK)
      })
    })

    describe('a grant', () => {
      it('ends when base_url changes, and its tokens are revoked', async () => {
        const id = await at.connected()
        const [token = ''] = at.hosted.tokens
        const { body } = await at.call('PATCH', at.path(id), { base_url: `${at.hosted.url}/other` })
        expect(body).toMatchObject({
          status: 'error',
          health_error: 'needs_authorization',
          authorization: { state: 'needs_authorization', reason: 'base_url_changed', authorized_by: null },
        })
        expect(await at.as.provider.AccessToken.find(token)).toBeUndefined()
        expect(at.hosted.tokens).toEqual([token])
      })

      it('is also revoked at the authorization server, keeps its records, and can be given again', async () => {
        const id = await at.connected()
        await at.pull(id)
        const [token = ''] = at.hosted.tokens
        const { body } = await at.call('POST', `${at.path(id)}/revoke`)
        expect(body).toMatchObject({
          status: 'error',
          authorization: { state: 'needs_authorization', reason: 'revoked' },
        })
        expect(await at.as.provider.AccessToken.find(token)).toBeUndefined()
        expect((await at.call('GET', `${at.sandbox.storage}/records?source_id=${id}`)).body.count).toBeGreaterThan(0)
        const again = await at.call('POST', `${at.path(id)}/authorize`, {})
        expect((await at.complete(id, again.body.authorization.url)).body.authorization.state).toBe('authorized')
      })

      it('is revoked with its source, and leaves no secret and no consent', async () => {
        const id = await at.connected()
        const [token = ''] = at.hosted.tokens
        await at.call('POST', `${at.path(id)}/authorize`, {})
        expect((await at.call('DELETE', `${at.sandbox.storage}/sources/${id}`)).status).toBe(200)
        expect(await at.as.provider.AccessToken.find(token)).toBeUndefined()
        const left = await app().cairn.app.sql.transact(at.userId, async (tx) => [
          ...(await tx.selectFrom('sealed_secret').select('ref').where('ref', 'like', `%${id}%`).execute()),
          ...(await tx.selectFrom('oauth_flow').select('source_id').where('source_id', '=', id).execute()),
          ...(await tx.selectFrom('oauth_grant').select('source_id').where('source_id', '=', id).execute()),
        ])
        expect(left).toEqual([])
      })

      it('cannot be given in a sandbox with a customer-managed key', async () => {
        const key = { 'x-encryption-key': Buffer.alloc(32, 7).toString('base64') }
        const body = { name: 'Hosted', base_url: at.hosted.url, auth_kind: 'oauth' }
        const { status, body: answer } = await at.call('POST', `${at.sandbox.storage}/sources/user-mcp`, body, key)
        expect([status, answer.error]).toEqual([400, 'oauth_under_key'])
        expect(at.as.asked).toEqual([])
      })

      it('shows its URL only to the editor who started it', async () => {
        const { body } = await at.register()
        const id = body.data_source_id
        expect((await at.source(id)).authorization.url).toBe(body.authorization.url)
        for (const role of ['viewer', 'editor']) {
          const other = await app().newAccount()
          await at.call('POST', `${at.sandbox.storage}/connections`, { user_id: other.userId, role })
          const one = await other.call('GET', `${at.sandbox.storage}/sources/${id}`)
          const list = await other.call('GET', `${at.sandbox.storage}/sources`)
          expect(one.body.authorization, role).toMatchObject({ state: 'pending', url: null })
          expect(`${JSON.stringify(list.body)}${JSON.stringify(one.body)}`).not.toContain('code_challenge')
        }
      })

      it('shows its URL neither in a repeated reply nor to an owner who views as the editor', async () => {
        const again = { 'idempotency-key': 'a-consent' }
        const body = { name: 'Hosted', base_url: at.hosted.url, auth_kind: 'oauth' }
        const path = `${at.sandbox.storage}/sources/user-mcp`
        const first = await at.call('POST', path, body, again)
        const repeated = await at.call('POST', path, body, again)
        expect(repeated.body).toEqual({ ...first.body, authorization: { ...first.body.authorization, url: null } })
        const editor = await app().newAccount()
        await at.call('POST', `${at.sandbox.storage}/connections`, { user_id: editor.userId, role: 'editor' })
        const source = `${at.sandbox.storage}/sources/${first.body.data_source_id}`
        expect((await editor.call('POST', `${source}/user-mcp/authorize`, {})).body.authorization.url).not.toBeNull()
        const seen = await at.call('GET', `${source}?as_user=${editor.userId}`)
        expect(seen.body.authorization).toMatchObject({ state: 'pending', url: null })
      })

      it('leaves no token, code, state or verifier in logs, replies, audit log, export or plaintext rows', async () => {
        const secrets: string[] = []
        at.as.tokens = (reply) => {
          secrets.push(String(reply.access_token), String(reply.refresh_token))
          return reply
        }
        const started = await at.registerReading()
        const id = started.body.data_source_id
        const url = new URL(started.body.authorization.url)
        const callback = new URL(await at.as.consent(url.href))
        const page = await app().anonymous('GET', `${callback.pathname}${callback.search}`, undefined, HTML)
        const code = at.codeOn(page)
        const done = await confirm(id, { code })
        await at.pull(id)
        app().clock.advance(50 * MINUTE_MS)
        await at.pull(id)
        secrets.push(url.searchParams.get('state') ?? '', callback.searchParams.get('code') ?? '', code)
        secrets.push(at.as.tokenRequests[0]?.get('code_verifier') ?? '')
        expect(secrets.filter((secret) => secret.length < 9)).toEqual([])
        expect(secrets).toHaveLength(8)
        const paths = ['sources', `sources/${id}`, 'audit', 'export', 'ingest'].map(
          (end) => `${at.sandbox.storage}/${end}`,
        )
        const replies = await Promise.all(paths.map((path) => at.call('GET', path)))
        const rows = await app().cairn.app.sql.transact(at.userId, async (tx) => {
          const tables = await sql<{ name: string }>`select distinct table_name as name
            from information_schema.columns where table_schema = 'public' and column_name = 'user_id'`.execute(tx)
          const texts = []
          for (const { name } of tables.rows) {
            texts.push(await sql`select to_jsonb(t)::text as row from ${sql.id(name)} t`.execute(tx))
          }
          return texts.flatMap((each) => each.rows)
        })
        const seen = JSON.stringify([app().logged, replies.map(({ body }) => body), done.body, rows])
        for (const secret of secrets) expect(seen).not.toContain(secret)
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
