import { expect, it } from 'vitest'
import { codeIn, joinBy, newBrowser } from '../harness/browser.ts'
import { onEachApp } from '../harness/test-app.ts'

const ACCEPT = '/api/v1/auth/invitation'
const GUESSES = 150

onEachApp((app) => {
  const invited = async (role = 'member') => {
    const account = await app().newAccount()
    const { body } = await account.call('POST', '/api/v1/invitations', { role })
    return { account, code: codeIn(body.url), id: body.invitation_id as string }
  }
  const accept = async (code: string) => {
    const { status, body } = await newBrowser(app()).call('POST', ACCEPT, { code, display_name: 'Mallory' })
    return [status, body.reason]
  }
  const INVALID = [400, 'invitation_invalid']

  it('a changed, withdrawn or concurrently used invitation creates no second member', async () => {
    const { account, code, id } = await invited()
    const last = code.at(-1) === 'A' ? 'B' : 'A'
    for (const changed of [`${code.slice(0, -1)}${last}`, code.toUpperCase(), `${code}A`, code.slice(0, -1)]) {
      expect(await accept(changed), changed).toEqual(INVALID)
    }
    const both = await Promise.all([accept(code), accept(code), accept(code)])
    expect(both.filter(([status]) => status === 200)).toHaveLength(1)
    expect((await account.call('GET', '/api/v1/members')).body.members).toHaveLength(1)
    await account.call('DELETE', `/api/v1/invitations/${id}`)
    expect(await accept(code)).toEqual(INVALID)
  })

  it('an invitation to an account that is suspended or erased is invalid', async () => {
    const { account, code } = await invited()
    const admin = '/api/v1/admin/accounts'
    expect((await app().admin('POST', `${admin}/${account.userId}/suspend`)).status).toBe(200)
    expect(await accept(code)).toEqual(INVALID)
    const other = await invited()
    await app().admin('POST', `${admin}/${other.account.userId}/suspend`)
    expect((await app().admin('DELETE', `${admin}/${other.account.userId}`)).status).toBeLessThan(300)
    expect(await accept(other.code)).toEqual(INVALID)
  })

  it('an invitation gives no role above that of the member who may invite', async () => {
    const { account } = await invited()
    const member = await joinBy(app(), account.call, { role: 'member' })
    for (const [method, path, body] of [
      ['POST', '/api/v1/invitations', { role: 'viewer' }],
      ['PATCH', `/api/v1/members/${member.memberId}`, { role: 'admin' }],
      ['POST', '/api/v1/groups', { name: 'Mine', claim: 'admins' }],
      ['POST', '/api/v1/group-roles', { claim: 'x', role: 'admin' }],
    ] as const) {
      expect(await member.call(method, path, body), path).toMatchObject({
        status: 403,
        body: { reason: 'member_role' },
      })
    }
  })

  it('guesses from one address are stopped before they are looked up', async () => {
    const guess = () =>
      app().cairn.http.inject({
        method: 'POST',
        url: ACCEPT,
        remoteAddress: '203.0.113.9',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({ code: `cairninvite_${'A'.repeat(43)}`, display_name: 'Mallory' }),
      })
    const seen = new Set<number>()
    for (let made = 0; made < GUESSES; made += 1) seen.add((await guess()).statusCode)
    expect([...seen]).toEqual([400, 429])
  })
})
