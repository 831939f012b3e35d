import { afterAll, beforeAll, expect, it } from 'vitest'
import { codeIn, newBrowser } from '../harness/browser.ts'
import { onEachEngine } from '../harness/postgres.ts'
import { CALLBACK, openProviderApp, type ProviderApp } from '../harness/provider-app.ts'
import { newSandbox, openTestApp, type TestAccount, type TestApp } from '../harness/test-app.ts'

const LOGIN = '/api/v1/auth/login'
const SESSION = '/api/v1/auth/session'
const MEMBERS = '/api/v1/members'

onEachEngine((sql, kind) => {
  let opened: ProviderApp
  let idp: ProviderApp['idp']
  let app: TestApp
  let account: TestAccount

  beforeAll(async () => {
    opened = await openProviderApp(sql(), kind, {
      CAIRN_OIDC_ALLOWED_DOMAINS: 'corp.example',
      CAIRN_OIDC_GROUP_ROLES: '{"ops":"admin"}',
      CAIRN_OIDC_ADMINS: 'boss@corp.example',
    })
    ;({ idp, app, account } = opened)
  })
  afterAll(() => opened?.close())

  /** Starts a sign-in in a browser, signs in at the provider as `idp.person`, and returns the callback address. */
  const begun = async (browser = newBrowser(app), query = '') => {
    const sent = await browser.open(`${LOGIN}${query}`)
    expect(sent.status, String(sent.body)).toBe(302)
    const { pathname, search } = new URL(await idp.browse(sent.headers.location!))
    return { browser, path: `${pathname}${search}`, location: new URL(sent.headers.location!) }
  }
  const signIn = async (query = '') => {
    const { browser, path } = await begun(newBrowser(app), query)
    return { browser, answer: await browser.open(path) }
  }
  const refused = async (reason: string, query = '') => {
    const { browser, answer } = await signIn(query)
    expect(String(answer.body)).toContain(`<code id="error">${reason}</code>`)
    expect(browser.cookies.has('cairn_session')).toBe(false)
  }
  const membersOf = async () => (await account.call('GET', MEMBERS)).body.members

  it('a person signs in by the subject, and stays the same member when the address changes', async () => {
    idp.person = { sub: 'ada', email: 'ada@corp.example', email_verified: true, name: 'Ada' }
    const { browser, path, location } = await begun()
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      redirect_uri: CALLBACK,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    const answer = await browser.open(path)
    expect(String(answer.body)).toContain('You are signed in')
    expect([...browser.cookies.keys()]).toEqual(['cairn_session'])
    const { body } = await browser.call('GET', SESSION)
    expect(body).toMatchObject({
      user_id: account.userId,
      role: 'member',
      display_name: 'Ada',
      email: 'ada@corp.example',
    })
    idp.person = { sub: 'ada', email: 'lovelace@other.example', email_verified: true, name: 'Ada' }
    const again = await signIn()
    expect((await again.browser.call('GET', SESSION)).body).toMatchObject({
      member_id: body.member_id,
      email: 'lovelace@other.example',
    })
    expect(await membersOf()).toMatchObject([{ member_id: body.member_id, issuer: idp.issuer }])
  })

  it("neither an unverified address nor a member's address alone lets anybody sign in", async () => {
    idp.person = { sub: 'mallory', email: 'eve@corp.example', email_verified: false, name: 'Mallory' }
    await refused('not_a_member')
    idp.person = { sub: 'mallory', email: 'eve@corp.example', name: 'Mallory' }
    await refused('not_a_member')
    idp.person = { sub: 'mallory', email: 'lovelace@other.example', email_verified: true, name: 'Mallory' }
    await refused('not_a_member')
    idp.person = { sub: 'mallory', email: 'boss@corp.example', email_verified: false, name: 'Mallory' }
    await refused('not_a_member')
    expect(await membersOf()).toHaveLength(1)
  })

  it('a state is used once, by the browser that started, on any node', async () => {
    idp.person = { sub: 'ada', name: 'Ada' }
    const { browser, path } = await begun()
    const cookies = new Map(browser.cookies)
    const foreign = newBrowser(app)
    expect(String((await foreign.open(path)).body)).toContain('state_invalid')
    const other = await begun()
    expect(String((await other.browser.open(path)).body)).toContain('state_invalid')
    const second = await openTestApp(sql(), kind, opened.env)
    try {
      const there = newBrowser(second)
      for (const [name, value] of cookies) there.cookies.set(name, value)
      expect(String((await there.open(path)).body)).toContain('You are signed in')
    } finally {
      await second.cairn.close()
    }
    expect(String((await browser.open(path)).body)).toContain('state_invalid')
    expect((await browser.call('GET', SESSION)).status).toBe(401)
  })

  it('an invitation lets one person join once through the provider', async () => {
    const { body: invited } = await account.call('POST', '/api/v1/invitations', {
      role: 'viewer',
      email: 'lin@elsewhere.example',
    })
    const code = codeIn(invited.url)
    const joining = { code, display_name: 'Lin' }
    expect((await app.anonymous('POST', '/api/v1/auth/invitation', joining)).body.reason).toBe('provider_signs_in')
    const sandbox = await newSandbox(account.call)
    const grant = { grantee: { email: 'lin@elsewhere.example' }, role: 'viewer' }
    expect((await account.call('POST', `${sandbox.storage}/connections`, grant)).status).toBe(201)
    idp.person = { sub: 'lin', name: 'Lin' }
    const { browser } = await signIn(`?invitation=${code}`)
    expect((await browser.call('GET', SESSION)).body).toMatchObject({ role: 'viewer', display_name: 'Lin' })
    expect((await browser.call('GET', sandbox.storage)).body.access).toBe('viewer')
    idp.person = { sub: 'stranger', name: 'Stranger' }
    await refused('invitation_invalid', `?invitation=${code}`)
  })

  it('groups give roles and memberships at sign-in, a missing claim changes nothing, too many fail', async () => {
    const { body: group } = await account.call('POST', '/api/v1/groups', { name: 'Support', claim: 'support' })
    idp.person = { sub: 'omar', name: 'Omar', groups: ['ops', 'support'] }
    const { browser } = await signIn()
    const { body } = await browser.call('GET', SESSION)
    expect(body.role).toBe('admin')
    const member = async () =>
      (await membersOf()).find((each: { member_id: string }) => each.member_id === body.member_id)
    expect(await member()).toMatchObject({ role: 'admin', group_ids: [group.group_id] })
    idp.person = { sub: 'omar', name: 'Omar' }
    await signIn()
    expect(await member()).toMatchObject({ role: 'admin', group_ids: [group.group_id] })
    idp.person = { sub: 'omar', name: 'Omar', groups: [] }
    await signIn()
    expect(await member()).toMatchObject({ role: 'viewer', group_ids: [] })
    idp.person = { sub: 'omar', name: 'Omar', _claim_names: { groups: 'src1' } }
    await refused('groups_overage')
    idp.person = { sub: 'boss', email: 'Boss@corp.example', email_verified: true, name: 'Boss' }
    expect((await (await signIn()).browser.call('GET', SESSION)).body.role).toBe('owner')
  })

  it('back-channel logout ends the named session once, and rejects tokens of others', async () => {
    idp.person = { sub: 'ada', name: 'Ada' }
    const [one, two] = [await signIn(), await signIn()]
    const logOut = (token: string) =>
      app.anonymous('POST', '/api/v1/auth/backchannel-logout', `logout_token=${token}`, {
        'content-type': 'application/x-www-form-urlencoded',
      })
    const invalid = { status: 400, body: { reason: 'logout_token_invalid' } }
    expect(await logOut('nonsense')).toMatchObject(invalid)
    expect(await logOut(await idp.logoutToken({ sub: 'ada', aud: 'another-client' }))).toMatchObject(invalid)
    expect(await logOut(await idp.logoutToken({ sub: 'ada', nonce: 'n' }))).toMatchObject(invalid)
    expect(await logOut(await idp.logoutToken({ sub: 'ada', events: {} }))).toMatchObject(invalid)
    expect(await logOut(await idp.logoutToken({ sub: 'nobody' }))).toMatchObject({ status: 200 })
    for (const { browser } of [one, two]) expect((await browser.call('GET', SESSION)).status).toBe(200)
    const token = await idp.logoutToken({ sub: 'ada' })
    expect((await logOut(token)).status).toBe(200)
    for (const { browser } of [one, two]) expect((await browser.call('GET', SESSION)).status).toBe(401)
    expect(await logOut(token)).toMatchObject(invalid)
    const { body } = await app.admin('GET', `/api/v1/admin/audit?chain=${account.userId}`)
    const events = body.events.map(({ event }: { event: string }) => event)
    expect(events).toEqual(expect.arrayContaining(['member.joined', 'member.signed_in', 'session.ended_by_provider']))
  })

  it('a suspended member cannot sign in again, and a person who declines gets a message', async () => {
    idp.person = { sub: 'ada', name: 'Ada' }
    const { browser } = await signIn()
    const { body } = await browser.call('GET', SESSION)
    await account.call('PATCH', `${MEMBERS}/${body.member_id}`, { status: 'suspended' })
    await refused('not_a_member')
    idp.isDenying = true
    await refused('access_denied')
    idp.isDenying = false
  })

  it('no token, code or secret of a sign-in is logged', () => {
    const lines = JSON.stringify(app.logged)
    for (const secret of [idp.clientSecret, ...idp.codes]) expect(lines).not.toContain(secret)
  })
})
