import { expect, it } from 'vitest'
import { codeIn, newBrowser } from '../harness/browser.ts'
import { onEachApp, openTestApp } from '../harness/test-app.ts'

const SIGN_IN = '/api/v1/console/sign-in'
const CODES = '/api/v1/console/codes'
const SESSION = '/api/v1/auth/session'
const KEYS = '/api/v1/api-keys'
const SANDBOXES = '/api/v1/storage/sandboxes'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

onEachApp((app) => {
  const signedIn = async () => {
    const account = await app().newAccount()
    const { body } = await account.call('POST', CODES)
    const browser = newBrowser(app())
    const answer = await browser.call('POST', SIGN_IN, { code: body.code, cookie: true })
    expect([answer.status, answer.body.api_key], JSON.stringify(answer.body)).toEqual([200, null])
    return { account, browser, code: body.code as string, answer }
  }

  it('a code becomes a session that acts as the account, once, and no key', async () => {
    const { account, browser, code, answer } = await signedIn()
    expect(answer.headers['set-cookie']).toMatch(
      /^cairn_session=cairnsession_\S+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    )
    const now = app().clock.now().getTime()
    expect(await browser.call('GET', SESSION)).toMatchObject({
      status: 200,
      body: {
        session_id: expect.stringMatching(/^ses_/),
        user_id: account.userId,
        member_id: null,
        expires_at: new Date(now + 12 * HOUR_MS).toISOString(),
        idle_expires_at: new Date(now + 2 * HOUR_MS).toISOString(),
      },
    })
    expect((await account.call('GET', KEYS)).body).toHaveLength(1)
    const again = newBrowser(app())
    expect((await again.call('POST', SIGN_IN, { code, cookie: true })).status).toBe(401)
    expect((await again.call('POST', SIGN_IN, { code })).status).toBe(401)
    expect((await browser.call('POST', '/api/v1/auth/logout')).status).toBe(200)
    expect((await again.call('POST', SIGN_IN, { code, cookie: true })).status).toBe(401)
    expect(JSON.stringify(app().logged)).not.toContain('cairnsession_')
  })

  it('a change with the cookie requires the origin and the header of own pages', async () => {
    const { browser } = await signedIn()
    const make = (headers: Record<string, string>) => browser.bare('POST', KEYS, { name: 'made' }, headers)
    const own = { origin: 'http://127.0.0.1:8484', 'x-cairn-request': '1' }
    const unsafe: Record<string, string>[] = [
      {},
      { 'x-cairn-request': '1' },
      { origin: own.origin },
      { ...own, origin: 'https://evil.example' },
      { ...own, origin: 'http://127.0.0.1:3000' },
      { ...own, origin: 'null' },
      { ...own, 'x-cairn-request': '0' },
    ]
    for (const headers of unsafe) {
      expect(await make(headers), JSON.stringify(headers)).toMatchObject({ status: 403, body: { reason: 'csrf' } })
    }
    expect((await make(own)).status).toBe(201)
    expect((await browser.bare('GET', KEYS)).status).toBe(200)
  })

  it('a page of another site signs nobody in, and creates no member', async () => {
    const account = await app().newAccount()
    for (const origin of ['https://evil.example', 'http://127.0.0.1:3000', 'null']) {
      const { body } = await account.call('POST', CODES)
      const browser = newBrowser(app(), origin)
      const csrf = { status: 403, body: { reason: 'csrf' } }
      expect(await browser.call('POST', SIGN_IN, { code: body.code, cookie: true })).toMatchObject(csrf)
      const { body: invited } = await account.call('POST', '/api/v1/invitations', { role: 'member' })
      const joining = { code: codeIn(invited.url), display_name: 'Victim' }
      expect(await browser.call('POST', '/api/v1/auth/invitation', joining)).toMatchObject(csrf)
      expect(browser.cookies.size).toBe(0)
    }
    expect((await account.call('GET', '/api/v1/members')).body.members).toEqual([])
  })

  it('the cookie is accepted neither for MCP nor for the operator’s operations, and is no bearer token', async () => {
    const { browser } = await signedIn()
    const { body: sandbox } = await browser.call('POST', SANDBOXES, { name: 'Mine', owner_id: 'owner' })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await browser.call('POST', `/mcp/${sandbox.sandbox_id}`, ping)).status).toBe(401)
    expect((await browser.call('GET', '/api/v1/admin/accounts')).status).toBe(401)
    const authorization = `Bearer ${browser.cookies.get('cairn_session')}`
    expect((await app().anonymous('GET', SESSION, undefined, { authorization })).status).toBe(401)
    // A wrong key is rejected even if the request also has a valid cookie.
    expect((await browser.bare('GET', SESSION, undefined, { authorization: 'Bearer nothing' })).status).toBe(401)
  })

  it('a session ends after two hours without use, and after twelve hours at most', async () => {
    const { browser } = await signedIn()
    const idle = await signedIn()
    for (let hours = 1; hours <= 11; hours += 1) {
      app().clock.advance(HOUR_MS)
      expect((await browser.call('GET', SESSION)).status, `after ${hours} h`).toBe(200)
      await passed()
    }
    expect((await idle.browser.call('GET', SESSION)).status).toBe(401)
    app().clock.advance(HOUR_MS)
    expect((await browser.call('GET', SESSION)).status).toBe(401)
  })

  it('signing out ends one session, signing out everywhere ends all, on every node within a second', async () => {
    const { account, browser } = await signedIn()
    const other = newBrowser(app())
    const { body } = await account.call('POST', CODES)
    await other.call('POST', SIGN_IN, { code: body.code, cookie: true })
    const second = await openTestApp(app().cairn.app.sql, app().kind, { CAIRN_DATA: app().folder })
    try {
      const there = newBrowser(second)
      for (const [name, value] of other.cookies) there.cookies.set(name, value)
      expect((await there.call('GET', SESSION)).status).toBe(200)
      const token = browser.cookies.get('cairn_session')!
      expect((await browser.call('POST', '/api/v1/auth/logout')).body.message).toContain('signed out')
      expect(browser.cookies.size).toBe(0)
      browser.cookies.set('cairn_session', token)
      expect((await browser.call('GET', SESSION)).status).toBe(401)
      expect((await other.call('GET', SESSION)).status).toBe(200)
      expect((await other.call('DELETE', '/api/v1/auth/sessions')).status).toBe(200)
      await passed()
      expect((await there.call('GET', SESSION)).status).toBe(401)
    } finally {
      await second.cairn.close()
    }
    const { body: log } = await app().admin('GET', `/api/v1/admin/audit?chain=${account.userId}`)
    expect(log.events.map(({ event }: { event: string }) => event)).toEqual([
      'session.all_ended',
      'session.ended',
      'console.signed_in',
      'console.signed_in',
    ])
  })

  it("a sign-in ends the browser's previous session, so a planted cookie is useless", async () => {
    const planted = await signedIn()
    const token = planted.browser.cookies.get('cairn_session')!
    const { account } = planted
    const { body } = await account.call('POST', CODES)
    await planted.browser.call('POST', SIGN_IN, { code: body.code, cookie: true })
    expect(planted.browser.cookies.get('cairn_session')).not.toBe(token)
    const attacker = newBrowser(app())
    attacker.cookies.set('cairn_session', token)
    expect((await attacker.call('GET', SESSION)).status).toBe(401)
    expect((await planted.browser.call('GET', SESSION)).status).toBe(200)
  })

  it('suspending an account ends its sessions', async () => {
    const { account, browser } = await signedIn()
    expect((await browser.call('GET', SESSION)).status).toBe(200)
    await app().admin('POST', `/api/v1/admin/accounts/${account.userId}/suspend`)
    expect((await browser.call('GET', SESSION)).status).toBe(401)
  })
})

/** Waits until a cached credential lookup (one second) has expired. */
function passed(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_050))
}
