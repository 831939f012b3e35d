import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeIn, joinBy, newBrowser } from '../harness/browser.ts'
import { type Consenting, openConsenting } from '../harness/consenting.ts'
import { onEachEngine } from '../harness/postgres.ts'
import { openProviderApp, type ProviderApp } from '../harness/provider-app.ts'
import { newSandbox, openTestApp, type TestAccount, type TestApp } from '../harness/test-app.ts'

const LOGIN = '/api/v1/auth/login'
const SESSION = '/api/v1/auth/session'
const LOGOUT = '/api/v1/auth/backchannel-logout'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }
/** The Kelvin sign. In lower case it is the letter k. */
const KELVIN = '\u212a'
const SECONDS_A_DAY = 86_400

onEachEngine((sql, kind) => {
  let opened: ProviderApp
  let idp: ProviderApp['idp']
  let app: TestApp
  let account: TestAccount

  beforeAll(async () => {
    opened = await openProviderApp(sql(), kind, {
      CAIRN_OIDC_ALLOWED_DOMAINS: 'kite.example',
      CAIRN_OIDC_ADMINS: 'kim@kite.example,the-boss',
    })
    ;({ idp, app, account } = opened)
  })
  afterAll(() => opened?.close())

  const begun = async (query = '') => {
    const browser = newBrowser(app)
    const sent = await browser.open(`${LOGIN}${query}`)
    const { pathname, searchParams } = new URL(await idp.browse(sent.headers.location!))
    return { browser, pathname, query: Object.fromEntries(searchParams) }
  }
  const signIn = async () => {
    const { browser, pathname, query } = await begun()
    return { browser, page: await browser.open(`${pathname}?${new URLSearchParams(query)}`) }
  }
  const reasonOf = ({ body }: { body: unknown }) => /id="error">(\w+)</.exec(String(body))?.[1]

  describe('a sign-in', () => {
    it('with the code of another sign-in fails, and opens no session', async () => {
      idp.person = { sub: 'the-boss', name: 'Boss' }
      const stolen = await begun()
      idp.person = { sub: 'mallory', name: 'Mallory', email: 'm@kite.example', email_verified: true }
      const own = await begun()
      const page = await own.browser.open(
        `${own.pathname}?${new URLSearchParams({ ...own.query, code: stolen.query.code! })}`,
      )
      expect(reasonOf(page)).toBe('exchange_failed')
      expect([...own.browser.cookies.keys()]).not.toContain('cairn_session')
    })

    it('with the name of another issuer fails', async () => {
      const { browser, pathname, query } = await begun()
      const iss = 'https://evil.example'
      const page = await browser.open(`${pathname}?${new URLSearchParams({ ...query, iss })}`)
      expect(reasonOf(page)).toBe('exchange_failed')
    })

    it('redirects only to the provider and to this service, whatever the address asks for', async () => {
      const browser = newBrowser(app)
      const evil = 'https%3A%2F%2Fevil.example'
      for (const name of ['return_to', 'next', 'redirect_uri', 'iss', 'target_link_uri']) {
        const { status, headers } = await browser.open(`${LOGIN}?${name}=${evil}`)
        if (status === 302) expect(new URL(headers.location!).origin).toBe(idp.issuer)
        expect(headers.location ?? '', name).not.toContain('evil')
      }
    })

    it('replaces a session that was planted in the browser, and ends it', async () => {
      idp.person = { sub: 'mallory', name: 'Mallory', email: 'm@kite.example', email_verified: true }
      const planted = (await signIn()).browser
      idp.person = { sub: 'the-boss', name: 'Boss' }
      const victim = await begun()
      victim.browser.cookies.set('cairn_session', planted.cookies.get('cairn_session')!)
      await victim.browser.open(`${victim.pathname}?${new URLSearchParams(victim.query)}`)
      expect((await victim.browser.call('GET', SESSION)).body.display_name).toBe('Boss')
      expect((await planted.call('GET', SESSION)).status).toBe(401)
    })

    it('makes nobody an owner who chose an address as the subject or has a look-alike address', async () => {
      const verified = { email_verified: true, name: 'Mallory' }
      idp.person = { sub: 'kim@kite.example', email: 'm@kite.example', ...verified }
      expect((await (await signIn()).browser.call('GET', SESSION)).body.role).toBe('member')
      idp.person = { sub: 'look-alike', email: `${KELVIN}im@kite.example`, ...verified }
      expect((await (await signIn()).browser.call('GET', SESSION)).body.role).toBe('member')
      idp.person = { sub: 'look-alike-domain', email: `m@${KELVIN}ite.example`, ...verified }
      expect(reasonOf((await signIn()).page)).toBe('not_a_member')
      idp.person = { sub: 'kim', email: 'Kim@Kite.Example', ...verified }
      expect((await (await signIn()).browser.call('GET', SESSION)).body.role).toBe('owner')
    })

    it('claims no grant to an address that only looks alike', async () => {
      const sandbox = await newSandbox(account.call)
      const grant = { grantee: { email: 'karl@kite.example' }, role: 'viewer' }
      await account.call('POST', `${sandbox.storage}/connections`, grant)
      idp.person = { sub: 'karl-2', email: `${KELVIN}arl@kite.example`, email_verified: true, name: 'Karl' }
      expect((await (await signIn()).browser.call('GET', sandbox.storage)).status).toBe(404)
      idp.person = { sub: 'karl', email: 'Karl@kite.example', email_verified: true, name: 'Karl' }
      expect((await (await signIn()).browser.call('GET', sandbox.storage)).status).toBe(200)
    })

    it('puts nobody into a local group that has the name of a claim', async () => {
      const sandbox = await newSandbox(account.call)
      const { body: group } = await account.call('POST', '/api/v1/groups', { name: 'admins' })
      const grant = { grantee: { group_id: group.group_id }, role: 'viewer' }
      await account.call('POST', `${sandbox.storage}/connections`, grant)
      idp.person = {
        sub: 'greta',
        email: 'g@kite.example',
        email_verified: true,
        name: 'G',
        groups: ['admins', 'owner'],
      }
      const { browser } = await signIn()
      expect((await browser.call('GET', SESSION)).body.role).toBe('member')
      expect((await browser.call('GET', sandbox.storage)).status).toBe(404)
    })
  })

  describe('an invitation link', () => {
    it('that another site opens asks first, and joins only after a click on the page', async () => {
      const { body } = await account.call('POST', '/api/v1/invitations', { role: 'viewer' })
      const code = codeIn(body.url)
      idp.person = { sub: 'victim', name: 'Victim' }
      const browser = newBrowser(app)
      const from = (site: string, code: string) =>
        browser.bare('GET', `${LOGIN}?invitation=${code}`, undefined, { accept: 'text/html', 'sec-fetch-site': site })
      for (const site of ['cross-site', 'same-site', 'none']) {
        const page = await from(site, code)
        expect([page.status, String(page.body)]).toEqual([200, expect.stringContaining('Sign in and join')])
        expect([...browser.cookies.keys()]).toEqual([])
      }
      expect(reasonOf(await from('cross-site', 'cairninvite_unknown'))).toBe('invitation_invalid')
      expect((await from('same-origin', code)).status).toBe(302)
    })
  })

  describe('a logout token', () => {
    const logOut = async (token: string, at = app) =>
      (await at.anonymous('POST', LOGOUT, `logout_token=${token}`, FORM)).status
    const secret = () => new TextEncoder().encode(idp.clientSecret)
    const usual = () => ({
      iss: idp.issuer,
      aud: idp.clientId,
      jti: crypto.randomUUID(),
      events: EVENTS,
      sub: 'the-boss',
    })

    it('that is forged, expired, too old or from the future ends nothing', async () => {
      idp.person = { sub: 'the-boss', name: 'Boss' }
      const { browser } = await signIn()
      const now = Math.floor(Date.now() / 1000)
      const unsigned = (claims: object) =>
        [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
      const forged = [
        `${unsigned({ ...usual(), iat: now })}.`,
        await new SignJWT(usual()).setProtectedHeader({ alg: 'HS256' }).setIssuedAt().sign(secret()),
        await idp.logoutToken({ sub: 'the-boss', iss: 'https://evil.example' }),
        await idp.logoutToken({ sub: 'the-boss', exp: now - SECONDS_A_DAY }),
        await idp.logoutToken({ sub: 'the-boss', iat: now - SECONDS_A_DAY }),
        await idp.logoutToken({ sub: 'the-boss', iat: now + SECONDS_A_DAY }),
        await idp.logoutToken({ sub: 'the-boss', jti: undefined }),
        await idp.logoutToken({ sub: 42 }),
      ]
      for (const token of forged) expect(await logOut(token), token).toBe(400)
      expect((await browser.call('GET', SESSION)).status).toBe(200)
    })

    it('is accepted once over all nodes', async () => {
      const token = await idp.logoutToken({ sub: 'the-boss' })
      const other = await openTestApp(sql(), kind, opened.env)
      try {
        expect([await logOut(token), await logOut(token, other)]).toEqual([200, 400])
      } finally {
        await other.cairn.close()
      }
    })
  })
})

onEachEngine((sql, kind) => {
  let app: TestApp
  let at: Consenting
  const folder = mkdtempSync(join(tmpdir(), 'cairn-attacks-'))
  beforeAll(async () => {
    app = await openTestApp(sql(), kind, { CAIRN_DATA: folder, CAIRN_ALLOW_LOOPBACK: 'on' })
    at = await openConsenting(app)
  })
  afterAll(async () => {
    await at?.close()
    await app?.cairn.close()
    rmSync(folder, { recursive: true, force: true })
  })

  describe('a consent', () => {
    it('with the code of another consent fails, and attaches nothing', async () => {
      const [one, two] = [await at.register(), await at.register({ app_namespace: 'two' })]
      const stolen = new URL(await at.as.consent(one.body.authorization.url)).searchParams.get('code')!
      const own = new URL(await at.as.consent(two.body.authorization.url))
      own.searchParams.set('code', stolen)
      const page = await app.anonymous('GET', `${own.pathname}${own.search}`)
      expect([page.status, page.body.reason]).toEqual([400, 'exchange_failed'])
      expect((await at.source(two.body.data_source_id)).authorization.state).toBe('needs_authorization')
      expect(at.hosted.tokens).toEqual([])
    })

    it('of another account is neither completed nor consumed', async () => {
      const other = await openConsenting(app, at.as)
      try {
        const [mine, theirs] = [await at.register({ app_namespace: 'mine' }), await other.register()]
        const callback_url = await at.as.consent(theirs.body.authorization.url)
        const path = `${at.path(mine.body.data_source_id)}/authorize/complete`
        expect((await at.call('POST', path, { callback_url })).body.error).toBe('state_invalid')
        const own = `${other.path(theirs.body.data_source_id)}/authorize/complete`
        expect((await at.call('POST', own, { callback_url })).status).toBe(404)
        expect((await other.call('POST', own, { callback_url })).body.authorization.state).toBe('authorized')
      } finally {
        await other.hosted.close()
      }
    })

    it('that a member started cannot be completed once the member is removed', async () => {
      await joinBy(app, at.call, { role: 'owner' })
      const member = await joinBy(app, at.call, { role: 'admin' })
      const body = { name: 'Hosted', base_url: at.hosted.url, auth_kind: 'oauth', app_namespace: 'gone' }
      const { body: made } = await member.call('POST', `${at.sandbox.storage}/sources/user-mcp`, body)
      const callback = new URL(await at.as.consent(made.authorization.url))
      expect((await at.call('DELETE', `/api/v1/members/${member.memberId}`)).status).toBe(200)
      const page = await member.open(`${callback.pathname}${callback.search}`)
      expect(String(page.body)).not.toContain('Consent complete')
      const complete = `${at.path(made.data_source_id)}/authorize/complete`
      for (const call of [member.call, at.call]) {
        expect([400, 401, 404]).toContain((await call('POST', complete, { callback_url: callback.href })).status)
      }
      expect((await at.source(made.data_source_id)).status).toBe('error')
    })
  })
})
