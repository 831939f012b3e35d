import { afterEach, beforeEach, expect, it } from 'vitest'
import { joinBy, newBrowser } from '../harness/browser.ts'
import { type Consenting, openConsenting } from '../harness/consenting.ts'
import { onEachApp } from '../harness/test-app.ts'

onEachApp(
  (app) => {
    let at: Consenting
    beforeEach(async () => {
      at = await openConsenting(app())
    })
    afterEach(() => at.close())

    /** A member with access to the sandbox who registers a source in a browser. */
    const begun = async () => {
      const member = await joinBy(app(), at.call, { role: 'member' })
      const granted = { grantee: { member_id: member.memberId }, role: 'editor' }
      expect((await at.call('POST', `${at.sandbox.storage}/connections`, granted)).status).toBe(201)
      const server = {
        name: 'Hosted',
        base_url: at.hosted.url,
        auth_kind: 'oauth',
        ingestion_mode: 'manual',
        ingest_tool_calls: [{ tool: 'echo', arguments: { a: 1 } }],
      }
      const { status, body } = await member.call('POST', `${at.sandbox.storage}/sources/user-mcp`, server)
      expect([status, body.authorization.state], JSON.stringify(body)).toEqual([201, 'pending'])
      const { pathname, search } = new URL(await at.as.consent(body.authorization.url))
      return { member, sourceId: body.data_source_id as string, callback: `${pathname}${search}` }
    }

    it('the browser session that started a consent completes it without a confirmation code', async () => {
      const { member, sourceId, callback } = await begun()
      const page = await member.open(callback)
      expect(String(page.body)).toContain('Consent complete')
      expect(await at.source(sourceId)).toMatchObject({
        status: 'active',
        authorization: { state: 'authorized', authorized_by: member.memberId },
      })
      expect(await at.pull(sourceId)).toMatchObject({ status: 'completed' })
    })

    it('another session, even of the same member, needs the code', async () => {
      const { member, sourceId, callback } = await begun()
      const { body: link } = await at.call('POST', `/api/v1/members/${member.memberId}/console-codes`)
      const other = newBrowser(app())
      await other.call('POST', '/api/v1/console/sign-in', { code: link.code, cookie: true })
      const page = await other.open(callback)
      expect(String(page.body)).toContain('id="confirmation"')
      expect((await at.source(sourceId)).authorization.state).toBe('confirming')
    })

    it('suspending a member revokes the consents it gave, and the source waits for a new one', async () => {
      const { member, sourceId, callback } = await begun()
      await member.open(callback)
      const path = `/api/v1/members/${member.memberId}`
      expect((await at.call('PATCH', path, { status: 'suspended' })).status).toBe(200)
      expect(await at.source(sourceId)).toMatchObject({
        status: 'error',
        authorization: { state: 'needs_authorization', reason: 'revoked', authorized_by: null },
      })
      expect(at.as.count('/token/revocation')).toBeGreaterThan(0)
      expect((await at.call('DELETE', path)).status).toBe(200)
      expect((await at.source(sourceId)).authorization.state).toBe('needs_authorization')
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
