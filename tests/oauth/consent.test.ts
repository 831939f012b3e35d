import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Consenting, openConsenting } from '../harness/consenting.ts'
import { onEachApp } from '../harness/test-app.ts'

onEachApp(
  (app) => {
    let at: Consenting
    beforeEach(async () => {
      at = await openConsenting(app())
    })
    afterEach(() => at.close())

    describe('a source that needs the consent of a person', () => {
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
        app().clock.advance(50 * 60_000)
        expect(await at.pull(id)).toMatchObject({ status: 'completed' })
        expect(at.as.tokenRequests.map((each) => each.get('grant_type'))).toEqual([
          'authorization_code',
          'refresh_token',
        ])
        expect(new Set(at.hosted.tokens).size).toBe(2)
      })
    })
  },
  { CAIRN_ALLOW_LOOPBACK: 'on' },
)
