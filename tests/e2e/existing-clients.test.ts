import { expect, it } from 'vitest'
import { onEachApp } from '../harness/test-app.ts'

onEachApp((app) => {
  it('a client of before this service goes through its calls unchanged', async () => {
    const { call, userId } = await app().newAccount()
    const made = await call('POST', '/api/v1/storage/sandboxes', { name: 'Notes', owner_id: 'me' })
    const id = made.body.sandbox_id
    const profile = await call('GET', '/api/v1/users/me/profile')
    expect(profile.body).toMatchObject({ user_id: userId, sandbox_id: id, project_id: null })

    // The shorthand names no sandbox: an account with one has it for its primary one.
    const told = { text: 'Pump 7 stopped because its filter was full of sand.', occurred_at: '2026-03-10' }
    const queued = await call('POST', '/api/v1/storage/ingest', told)
    expect([queued.status, queued.body]).toMatchObject([202, { status: 'queued', sandbox_id: id, project_id: null }])
    const job = () => call('GET', queued.body.status_url)
    await expect.poll(async () => (await job()).body.status, { timeout: 20_000 }).toBe('completed')

    const query = `/api/v1/query/sandboxes/${id}`
    const { body: found } = await call('POST', `${query}/discover`, { query: 'Why did pump 7 stop?' })
    expect(found).toMatchObject({
      header: expect.any(String),
      count: 1,
      sandbox_id: id,
      next_steps: expect.any(String),
    })
    const item = { id: expect.any(String), score: expect.any(Number), summary: expect.stringMatching(/pump 7/i) }
    expect(found.items).toMatchObject([item])
    const items = found.items.map((each: { canonical_ids: string[] }) => each.canonical_ids)
    const { body: brief } = await call('POST', `${query}/interpret`, { query: found.query, items })
    expect(brief).toMatchObject({ brief: expect.stringContaining('full of sand'), items, query: found.query })
    const { body: answer } = await call('POST', `${query}/search`, { query: found.query })
    expect(answer.answer).toContain('full of sand')
    const ids = answer.citations.map((each: { canonical_id: string }) => each.canonical_id)
    const { body: origins } = await call('POST', `${query}/origins`, { canonical_ids: ids })
    expect(origins.origins.map((each: { canonical_id: string }) => each.canonical_id)).toEqual(ids)

    const usage = await call('GET', '/api/v1/usage')
    expect(usage.body).toMatchObject({ summary: { total_tokens: 0, total_calls: 0 }, by_model: [], by_call_type: [] })
    const balance = { credits_purchased: 0, credits_used: 0, credits_remaining: 0, currency: 'usd' }
    expect((await call('GET', '/api/v1/usage/balance')).body).toEqual(balance)

    // With two there is none until one is chosen, which is said.
    await call('POST', '/api/v1/storage/sandboxes', { name: 'Second', owner_id: 'me' })
    const lost = await call('POST', '/api/v1/storage/ingest', told)
    expect([lost.status, lost.body.reason]).toEqual([404, 'no_primary_sandbox'])
    await call('POST', '/api/v1/users/me/profile', { sandbox_id: id })
    expect((await call('POST', '/api/v1/storage/ingest', told)).status).toBe(202)
  })
})
