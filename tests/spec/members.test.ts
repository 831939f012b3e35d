import { expect, it } from 'vitest'
import { codeIn, joinBy, newBrowser } from '../harness/browser.ts'
import { newSandbox, onEachApp, openTestApp, putRecords, type TestAccount } from '../harness/test-app.ts'

const MEMBERS = '/api/v1/members'
const INVITATIONS = '/api/v1/invitations'
const JOIN = '/api/v1/auth/invitation'
const SESSION = '/api/v1/auth/session'
const KEYS = '/api/v1/api-keys'
const GROUPS = '/api/v1/groups'
const SANDBOXES = '/api/v1/storage/sandboxes'
const DAY_MS = 24 * 60 * 60_000

onEachApp((app) => {
  const eventsOf = async ({ userId }: TestAccount): Promise<string[]> =>
    (await app().admin('GET', `/api/v1/admin/audit?chain=${userId}`)).body.events.map(
      ({ event }: { event: string }) => event,
    )
  const idsOf = async (call: TestAccount['call']): Promise<string[]> =>
    (await call('GET', SANDBOXES)).body.sandboxes.map(({ sandbox_id }: { sandbox_id: string }) => sandbox_id)

  it('an invitation creates one member, within seven days, and its code is stored nowhere', async () => {
    const account = await app().newAccount()
    const made = await account.call('POST', INVITATIONS, { role: 'member', email: 'Ada@example.com' })
    const now = app().clock.now().getTime()
    expect(made).toMatchObject({
      status: 201,
      body: {
        url: expect.stringMatching(/\/console#i=cairninvite_/),
        expires_at: new Date(now + 7 * DAY_MS).toISOString(),
      },
    })
    const code = codeIn(made.body.url)
    const browser = newBrowser(app())
    const accept = (as = browser) => as.call('POST', JOIN, { code, display_name: 'Ada' })
    const [one, other] = await Promise.all([accept(), accept(newBrowser(app()))])
    expect([one?.status, other?.status].sort()).toEqual([200, 400])
    expect((await accept(newBrowser(app()))).body).toMatchObject({ error: 'bad_request', reason: 'invitation_invalid' })
    const { body } = await account.call('GET', MEMBERS)
    expect(body).toMatchObject({
      count: 1,
      members: [{ display_name: 'Ada', email: 'Ada@example.com', role: 'member', status: 'active', issuer: null }],
    })
    expect((await account.call('GET', INVITATIONS)).body.invitations).toMatchObject([
      { status: 'accepted', accepted_by: body.members[0].member_id },
    ])
    expect(JSON.stringify((await account.call('GET', INVITATIONS)).body)).not.toContain(code)
    expect(await eventsOf(account)).toEqual(['member.joined', 'invitation.created'])
    const late = await account.call('POST', INVITATIONS, { role: 'viewer' })
    const withdrawn = await account.call('POST', INVITATIONS, { role: 'viewer' })
    expect((await account.call('DELETE', `${INVITATIONS}/${withdrawn.body.invitation_id}`)).status).toBe(200)
    app().clock.advance(7 * DAY_MS)
    for (const { body: link } of [late, withdrawn]) {
      const answer = await browser.call('POST', JOIN, { code: codeIn(link.url), display_name: 'Late' })
      expect(answer.body.reason).toBe('invitation_invalid')
    }
  })

  it('owners and admins use every sandbox, members their own, viewers only what they are granted', async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    const people = {
      owner: await joinBy(app(), account.call, { role: 'owner' }),
      admin: await joinBy(app(), account.call, { role: 'admin' }),
      member: await joinBy(app(), account.call, { role: 'member' }),
      viewer: await joinBy(app(), account.call, { role: 'viewer' }),
    }
    for (const role of ['owner', 'admin'] as const) {
      expect((await people[role].call('GET', sandbox.storage)).body).toMatchObject({ access: 'owner' })
    }
    for (const role of ['member', 'viewer'] as const) {
      expect((await people[role].call('GET', sandbox.storage)).status, role).toBe(404)
      expect(await idsOf(people[role].call)).toEqual([])
    }
    const own = await newSandbox(people.member.call, 'Of the member')
    expect((await people.member.call('GET', own.storage)).body).toMatchObject({ access: 'owner', is_external: false })
    expect(await idsOf(people.member.call)).toEqual([own.id])
    expect((await idsOf(people.admin.call)).sort()).toEqual([own.id, sandbox.id].sort())
    expect((await people.viewer.call('GET', own.storage)).status).toBe(404)
    const refused = { status: 403, body: { reason: 'member_role' } }
    expect(await people.viewer.call('POST', SANDBOXES, { name: 'No', owner_id: 'o' })).toMatchObject(refused)
    expect(await people.member.call('GET', INVITATIONS)).toMatchObject(refused)
    expect(await people.viewer.call('GET', MEMBERS)).toMatchObject(refused)
    expect(await people.member.call('POST', INVITATIONS, { role: 'viewer' })).toMatchObject(refused)
    // A grant with a higher role does not extend a viewer's role.
    const connections = `${sandbox.storage}/connections`
    const grant = { grantee: { member_id: people.viewer.memberId }, role: 'editor' }
    expect((await account.call('POST', connections, grant)).body).toMatchObject({
      user_id: people.viewer.memberId,
      grantee: { member_id: people.viewer.memberId },
    })
    expect((await people.viewer.call('GET', sandbox.storage)).body.access).toBe('viewer')
    expect((await people.viewer.call('POST', sandbox.records, { records: [] })).status).toBe(403)
  })

  it('an admin has no power over owners, and the last owner stays', async () => {
    const account = await app().newAccount()
    const owner = await joinBy(app(), account.call, { role: 'owner' })
    const admin = await joinBy(app(), account.call, { role: 'admin' })
    const path = `${MEMBERS}/${owner.memberId}`
    const ownerOnly = { status: 403, body: { reason: 'owner_only' } }
    expect(await admin.call('PATCH', path, { role: 'viewer' })).toMatchObject(ownerOnly)
    expect(await admin.call('DELETE', path)).toMatchObject(ownerOnly)
    expect(await admin.call('POST', `${path}/console-codes`)).toMatchObject(ownerOnly)
    expect(await admin.call('POST', INVITATIONS, { role: 'owner' })).toMatchObject(ownerOnly)
    expect(await admin.call('PATCH', `${MEMBERS}/${admin.memberId}`, { role: 'owner' })).toMatchObject(ownerOnly)
    expect(await admin.call('POST', '/api/v1/group-roles', { claim: 'x', role: 'owner' })).toMatchObject(ownerOnly)
    const { body: rule } = await account.call('POST', '/api/v1/group-roles', { claim: 'x', role: 'owner' })
    expect(await admin.call('DELETE', `/api/v1/group-roles/${rule.group_role_id}`)).toMatchObject(ownerOnly)
    const { body: invited } = await account.call('POST', INVITATIONS, { role: 'owner' })
    expect(await admin.call('DELETE', `${INVITATIONS}/${invited.invitation_id}`)).toMatchObject(ownerOnly)
    expect((await account.call('GET', '/api/v1/group-roles')).body.group_roles).toHaveLength(1)
    const last = { status: 409, body: { error: 'conflict', reason: 'last_owner' } }
    expect(await account.call('DELETE', path)).toMatchObject(last)
    expect(await owner.call('PATCH', path, { role: 'admin' })).toMatchObject(last)
    expect(await owner.call('PATCH', path, { status: 'suspended' })).toMatchObject(last)
    const second = await joinBy(app(), account.call, { role: 'owner' })
    const both = await Promise.all([
      owner.call('PATCH', `${MEMBERS}/${second.memberId}`, { role: 'viewer' }),
      second.call('PATCH', path, { role: 'viewer' }),
    ])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('a member signs in again by a link, and its keys act as the member and say so', async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    const member = await joinBy(app(), account.call, { role: 'member' }, 'Grace')
    const { body: link } = await account.call('POST', `${MEMBERS}/${member.memberId}/console-codes`)
    const browser = newBrowser(app())
    expect((await browser.call('POST', '/api/v1/console/sign-in', { code: link.code, cookie: true })).status).toBe(200)
    expect((await browser.call('GET', SESSION)).body).toMatchObject({
      user_id: account.userId,
      member_id: member.memberId,
      role: 'member',
      display_name: 'Grace',
    })
    const { body: made } = await browser.call('POST', KEYS, { name: 'laptop' })
    expect(made.member_id).toBe(member.memberId)
    const withKey = { authorization: `Bearer ${made.key}` }
    expect((await app().anonymous('GET', SESSION, undefined, withKey)).body.member_id).toBe(member.memberId)
    expect((await app().anonymous('GET', sandbox.storage, undefined, withKey)).status).toBe(404)
    expect((await browser.call('GET', KEYS)).body).toHaveLength(1)
    expect((await account.call('GET', KEYS)).body).toMatchObject([{ member_id: member.memberId }, { member_id: null }])
    const [, own] = (await account.call('GET', KEYS)).body
    expect((await browser.call('DELETE', `${KEYS}/${own.id}`)).status).toBe(404)
    const profile = '/api/v1/users/me/profile'
    expect((await browser.call('POST', profile, { display_name: 'Grace H.' })).body).toMatchObject({
      user_id: account.userId,
      member_id: member.memberId,
      display_name: 'Grace H.',
    })
    expect((await account.call('GET', MEMBERS)).body.members[0].display_name).toBe('Grace H.')
    expect((await account.call('GET', profile)).body.display_name).not.toBe('Grace H.')
  })

  it('a suspended or removed member loses all access within a second, on every node', async () => {
    const account = await app().newAccount()
    await joinBy(app(), account.call, { role: 'owner' })
    const sandbox = await newSandbox(account.call)
    const connections = `${sandbox.storage}/connections`
    const second = await openTestApp(app().cairn.app.sql, app().kind, { CAIRN_DATA: app().folder })
    try {
      for (const how of ['suspend', 'remove'] as const) {
        const member = await joinBy(app(), account.call, { role: 'member' })
        const granted = { grantee: { member_id: member.memberId }, role: 'editor' }
        const { body: grant } = await account.call('POST', connections, granted)
        const { body: shared } = await account.call('POST', `${connections}/${grant.connection_id}/api-keys`)
        const { body: made } = await member.call('POST', KEYS, { name: 'laptop' })
        const { body: code } = await member.call('POST', '/api/v1/console/codes')
        const there = newBrowser(second)
        for (const [name, value] of member.cookies) there.cookies.set(name, value)
        const doors = [
          () => member.call('GET', sandbox.storage),
          () => there.call('GET', sandbox.storage),
          ...[app(), second].flatMap(({ anonymous }) =>
            [made.key, shared.plaintext_key].map(
              (key) => () => anonymous('GET', sandbox.storage, undefined, { authorization: `Bearer ${key}` }),
            ),
          ),
        ]
        for (const door of doors) expect((await door()).status, how).toBe(200)
        const path = `${MEMBERS}/${member.memberId}`
        const ended =
          how === 'remove'
            ? await account.call('DELETE', path)
            : await account.call('PATCH', path, { status: 'suspended' })
        expect(ended.status, JSON.stringify(ended.body)).toBe(200)
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        for (const door of doors) expect([401, 404], how).toContain((await door()).status)
        const signIn = await app().anonymous('POST', '/api/v1/console/sign-in', { code: code.code })
        expect(signIn.status, how).toBe(401)
        if (how === 'remove') continue
        expect((await account.call('PATCH', path, { status: 'active' })).body.status).toBe('active')
        expect((await member.call('GET', SESSION)).status).toBe(401)
        const key = { authorization: `Bearer ${made.key}` }
        expect((await app().anonymous('GET', sandbox.storage, undefined, key)).status).toBe(200)
      }
    } finally {
      await second.cairn.close()
    }
    expect(await eventsOf(account)).toEqual(
      expect.arrayContaining(['member.updated', 'member.suspended', 'member.removed']),
    )
  })

  it('answers belong to the member who asked, until one is shared with the account', async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    const record = { external_id: '1', type: 'note', text: 'The harbour pump was repaired by Mara on Monday.' }
    await putRecords(account.call, sandbox, [record])
    const [asking, other] = [
      await joinBy(app(), account.call, { role: 'admin' }),
      await joinBy(app(), account.call, { role: 'admin' }),
    ]
    const { body: asked } = await asking.call('POST', `${sandbox.query}/search`, { query: 'Who repaired the pump?' })
    const path = `${sandbox.query}/answers`
    expect((await asking.call('GET', path)).body.count).toBe(1)
    expect((await other.call('GET', path)).body.count).toBe(0)
    expect((await other.call('GET', `${path}/${asked.answer_id}`)).status).toBe(404)
    expect((await asking.call('POST', `${path}/${asked.answer_id}/share`)).status).toBe(200)
    expect((await other.call('GET', `${path}/${asked.answer_id}`)).body.asked_by).toBe(asking.memberId)
    const outsider = await app().newAccount()
    expect((await outsider.call('GET', `${path}/${asked.answer_id}`)).status).toBe(404)
  })

  it('an invitation ends with the access of the member who created it', async () => {
    const account = await app().newAccount()
    const admin = await joinBy(app(), account.call, { role: 'admin' })
    const { body: invited } = await admin.call('POST', INVITATIONS, { role: 'admin' })
    await account.call('PATCH', `${MEMBERS}/${admin.memberId}`, { status: 'suspended' })
    const joining = { code: codeIn(invited.url), display_name: 'The same person' }
    expect((await newBrowser(app()).call('POST', JOIN, joining)).body.reason).toBe('invitation_invalid')
  })

  it('a removed member’s sandboxes stay with the account', async () => {
    const account = await app().newAccount()
    const member = await joinBy(app(), account.call, { role: 'member' })
    const own = await newSandbox(member.call)
    expect((await account.call('DELETE', `${MEMBERS}/${member.memberId}`)).status).toBe(200)
    expect((await account.call('GET', own.storage)).body.access).toBe('owner')
    expect((await account.call('GET', MEMBERS)).body.members).toEqual([])
  })

  it('a grant to a group follows its members, and one to an address waits for the person to join', async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    const connections = `${sandbox.storage}/connections`
    const member = await joinBy(app(), account.call, { role: 'member' })
    const { body: group } = await account.call('POST', GROUPS, { name: 'Support' })
    const granted = await account.call('POST', connections, { grantee: { group_id: group.group_id }, role: 'viewer' })
    expect(granted).toMatchObject({ status: 201, body: { user_id: null, grantee: { group_id: group.group_id } } })
    expect((await member.call('GET', sandbox.storage)).status).toBe(404)
    const path = `${GROUPS}/${group.group_id}`
    const put = (memberIds: string[]) => account.call('PATCH', path, { member_ids: memberIds })
    expect((await put([member.memberId])).body).toMatchObject({ name: 'Support', member_ids: [member.memberId] })
    expect((await member.call('GET', sandbox.storage)).body).toMatchObject({ access: 'viewer', is_external: true })
    expect(await idsOf(member.call)).toEqual([sandbox.id])
    const asKey = await account.call('POST', `${connections}/${granted.body.connection_id}/api-keys`)
    expect(asKey).toMatchObject({ status: 409, body: { reason: 'group_grant' } })
    await put([])
    expect((await member.call('GET', sandbox.storage)).status).toBe(404)
    await put([member.memberId])
    await account.call('DELETE', path)
    expect((await member.call('GET', sandbox.storage)).status).toBe(404)

    const waiting = await account.call('POST', connections, { grantee: { email: 'Lin@example.com' }, role: 'editor' })
    expect(waiting.body).toMatchObject({ user_id: null, grantee: { email: 'Lin@example.com' } })
    const lin = await joinBy(app(), account.call, { role: 'member', email: 'lin@example.com' })
    expect((await lin.call('GET', sandbox.storage)).body.access).toBe('editor')
    const unknown = { status: 422, body: { reason: 'unknown_member' } }
    for (const grantee of [
      { member_id: 'mem_00000000000000000000000000' },
      { member_id: account.userId },
      { group_id: group.group_id },
    ]) {
      expect(await account.call('POST', connections, { grantee, role: 'viewer' })).toMatchObject(unknown)
    }
    const both = { grantee: { email: 'a@b.example' }, user_id: account.userId, role: 'viewer' }
    expect((await account.call('POST', connections, both)).status).toBe(422)
  })

  it('members, groups, invitations and rules of another account appear missing', async () => {
    const [mine, theirs] = [await app().newAccount(), await app().newAccount()]
    const member = await joinBy(app(), theirs.call, { role: 'owner' })
    const { body: group } = await theirs.call('POST', GROUPS, { name: 'Theirs' })
    const { body: invitation } = await theirs.call('POST', INVITATIONS, { role: 'viewer' })
    const { body: rule } = await theirs.call('POST', '/api/v1/group-roles', { claim: 'theirs', role: 'viewer' })
    const admin = await joinBy(app(), mine.call, { role: 'owner' })
    for (const call of [mine.call, admin.call]) {
      for (const path of [MEMBERS, GROUPS, INVITATIONS, '/api/v1/group-roles']) {
        expect(JSON.stringify((await call('GET', path)).body)).not.toMatch(/Theirs|theirs/)
      }
      const answers = [
        await call('PATCH', `${MEMBERS}/${member.memberId}`, { role: 'viewer' }),
        await call('DELETE', `${MEMBERS}/${member.memberId}`),
        await call('POST', `${MEMBERS}/${member.memberId}/console-codes`),
        await call('PATCH', `${GROUPS}/${group.group_id}`, { name: 'Mine' }),
        await call('DELETE', `${GROUPS}/${group.group_id}`),
        await call('DELETE', `${INVITATIONS}/${invitation.invitation_id}`),
        await call('DELETE', `/api/v1/group-roles/${rule.group_role_id}`),
      ]
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
      const foreign = [
        await call('POST', GROUPS, { name: 'With theirs', member_ids: [member.memberId] }),
        await call('POST', INVITATIONS, { role: 'viewer', groups: [group.group_id] }),
      ]
      expect(foreign.map(({ body }) => body.reason)).toEqual(['unknown_member', 'unknown_member'])
    }
    const sandbox = await newSandbox(mine.call)
    const connections = `${sandbox.storage}/connections`
    const byId = await mine.call('POST', connections, { user_id: member.memberId, role: 'viewer' })
    expect(byId).toMatchObject({ status: 422, body: { reason: 'unknown_grantee' } })
    const byGrantee = { grantee: { member_id: member.memberId }, role: 'viewer' }
    expect((await mine.call('POST', connections, byGrantee)).body.reason).toBe('unknown_member')
    expect((await member.call('GET', sandbox.storage)).status).toBe(404)
    // The operator sees accounts but not their members.
    const { body } = await app().admin('GET', '/api/v1/admin/accounts')
    expect(JSON.stringify(body)).not.toContain('mem_')
    expect(
      (await app().admin('POST', `/api/v1/admin/accounts/${member.memberId}/api-keys`, { name: 'x' })).status,
    ).toBe(404)
  })

  it('the members of an erased account are erased with it', async () => {
    const account = await app().newAccount()
    const member = await joinBy(app(), account.call, { role: 'admin' })
    expect((await app().admin('DELETE', `/api/v1/admin/accounts/${account.userId}`)).status).toBe(200)
    const left = await app().cairn.app.sql.transact(member.memberId, (tx) =>
      tx.selectFrom('account').select('user_id').where('user_id', '=', member.memberId).execute(),
    )
    expect([left, (await member.call('GET', SANDBOXES)).status]).toEqual([[], 401])
  })

  it('a name or claim of a group is unique', async () => {
    const { call } = await app().newAccount()
    expect((await call('POST', GROUPS, { name: 'Crew', claim: 'crew' })).status).toBe(201)
    const { body: other } = await call('POST', GROUPS, { name: 'Office' })
    const answers = [
      await call('POST', GROUPS, { name: 'Crew' }),
      await call('POST', GROUPS, { name: 'Third', claim: 'crew' }),
      await call('PATCH', `${GROUPS}/${other.group_id}`, { claim: 'crew' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409])
  })
})
