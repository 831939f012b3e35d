import { createHmac } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { issue, newHook } from '../harness/hook.ts'
import { type Answer, onEachApp } from '../harness/test-app.ts'

onEachApp((app) => {
  it('an unknown slug and a wrong secret get the identical answer, after both were looked up', async () => {
    const hook = await newHook(app(), 'github')
    const payload = JSON.stringify(issue(1, 'x'))
    const headers = { 'content-type': 'application/json', authorization: 'Bearer cairnhook_wrong' }
    const knock = (path: string) => app().anonymous('POST', path, payload, headers)
    const unknown = hook.path.replace(/.{22}$/, 'A'.repeat(22))
    const wrong = await knock(hook.path)
    expect(wrong.status).toBe(401)
    expect(wrong.headers['www-authenticate']).toBe('Bearer')
    for (const path of [unknown, '/api/v1/hooks/x']) expect(stable(await knock(path))).toEqual(stable(wrong))

    const { sql } = app().cairn.app
    const asked = (['look', 'transact', 'write'] as const).map((way) => vi.spyOn(sql, way))
    /** Counts the database calls for unknown webhook paths. */
    const work = async (paths: readonly string[]) => {
      for (const each of asked) each.mockClear()
      for (const path of paths) await knock(path)
      return asked.map((each) => each.mock.calls.length)
    }
    const known = [await newHook(app(), 'github'), await newHook(app(), 'github')].map(({ path }) => path)
    const slugs = ['B', 'C'].map((letter) => hook.path.replace(/.{22}$/, letter.repeat(22)))
    const ofUnknown = await work(slugs)
    expect(ofUnknown[0]).toBeGreaterThan(0)
    expect((await work(known))[0]).toBeGreaterThan(0)
    for (const each of asked) each.mockRestore()
  })

  it('the secret of another source, an API key and a secret in the query string are rejected', async () => {
    const [hook, other] = [await newHook(app(), 'github'), await newHook(app(), 'github')]
    for (const token of [other.secret, hook.account.key, `${hook.secret}x`]) {
      const reply = await app().anonymous('POST', hook.path, issue(1, 'x'), { authorization: `Bearer ${token}` })
      expect(reply.status).toBe(401)
    }
    expect((await app().anonymous('POST', `${hook.path}?token=${hook.secret}`, issue(1, 'x'))).status).toBe(401)
    const asKey = await app().anonymous('GET', `${hook.storage}/sources`, undefined, {
      authorization: `Bearer ${hook.secret}`,
    })
    expect(asKey.status).toBe(401)
  })

  it('a signature is ignored while the source has no signing secret', async () => {
    const hook = await newHook(app(), 'github')
    const body = JSON.stringify(issue(1, 'x'))
    const signature = `sha256=${createHmac('sha256', '').update(body).digest('hex')}`
    const reply = await app().anonymous('POST', hook.path, body, { 'x-hub-signature-256': signature })
    expect(reply.status).toBe(401)
  })
})

/** Returns a reply without the fields that differ between any two replies. */
function stable({ status, headers, body }: Answer) {
  const { 'x-request-id': _, date: __, 'content-length': bytes, ...rest } = headers
  const beside = Number(bytes) - body.request_id.length
  return { status, headers: rest, beside, body: { ...body, request_id: '' } }
}
