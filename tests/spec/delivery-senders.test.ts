import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { issue, newHook } from '../harness/hook.ts'
import { type Answer, onEachApp } from '../harness/test-app.ts'

/** Requests of each kind of which the times are compared. */
const KNOCKS = 60

onEachApp((app) => {
  it('an unknown slug and a wrong secret get one and the same answer, and it takes as long', async () => {
    const hook = await newHook(app(), 'github')
    const payload = JSON.stringify(issue(1, 'x'))
    const knock = async (path: string, headers = { authorization: 'Bearer cairnhook_wrong' }) => {
      const from = performance.now()
      const answer = await app().anonymous('POST', path, payload, { 'content-type': 'application/json', ...headers })
      return { answer, ms: performance.now() - from }
    }
    const unknown = hook.path.replace(/.{22}$/, 'A'.repeat(22))
    const { answer: wrong } = await knock(hook.path)
    expect(wrong.status).toBe(401)
    expect(wrong.headers['www-authenticate']).toBe('Bearer')
    for (const path of [unknown, '/api/v1/hooks/x']) expect(stable((await knock(path)).answer)).toEqual(stable(wrong))

    const times: [number[], number[]] = [[], []]
    for (let round = 0; round < KNOCKS; round += 1) {
      // In turn, so that what else the machine does hits both alike.
      const inOrder = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
      for (const at of inOrder) times[at].push((await knock([unknown, hook.path][at] as string)).ms)
    }
    const [one, other] = times.map((own) => quartiles(own)) as [Quartiles, Quartiles]
    const noise = Math.max(one.upper - one.lower, other.upper - other.lower)
    expect(Math.abs(one.middle - other.middle)).toBeLessThan(noise)
  })

  it('the secret of another source, an API key and a secret in the query string open nothing', async () => {
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

  it('a signature counts for nothing while the source has no signing secret', async () => {
    const hook = await newHook(app(), 'github')
    const body = JSON.stringify(issue(1, 'x'))
    const signature = `sha256=${createHmac('sha256', '').update(body).digest('hex')}`
    const reply = await app().anonymous('POST', hook.path, body, { 'x-hub-signature-256': signature })
    expect(reply.status).toBe(401)
  })
})

interface Quartiles {
  lower: number
  middle: number
  upper: number
}

function quartiles(times: number[]): Quartiles {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] as number
  return { lower: at(0.25), middle: at(0.5), upper: at(0.75) }
}

/** What an answer says, without what differs between any two. */
function stable({ status, headers, body }: Answer) {
  const { 'x-request-id': _, date: __, 'content-length': bytes, ...rest } = headers
  const beside = Number(bytes) - body.request_id.length
  return { status, headers: rest, beside, body: { ...body, request_id: '' } }
}
