import { expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords } from '../../harness/test-app.ts'

onEachApp((app) => {
  it('a client of the previous service works unchanged', async () => {
    const { call, userId } = await app().newAccount()
    const made = await call('POST', '/api/v1/storage/sandboxes', { name: 'Notes', owner_id: 'me' })
    const id = made.body.sandbox_id
    const profile = await call('GET', '/api/v1/users/me/profile')
    expect(profile.body).toMatchObject({ user_id: userId, sandbox_id: id, project_id: null })

    // The short path names no sandbox; the only sandbox of an account is its primary one.
    const note = { text: 'Pump 7 stopped because its filter was full of sand.', occurred_at: '2026-03-10' }
    const queued = await call('POST', '/api/v1/storage/ingest', note)
    expect([queued.status, queued.body]).toMatchObject([202, { status: 'queued', sandbox_id: id, project_id: null }])
    const job = () => call('GET', queued.body.status_url)
    await expect.poll(async () => (await job()).body.status).toBe('completed')

    const query = `/api/v1/query/sandboxes/${id}`
    const preset = 'copass/copass_1.0'
    const { body: found } = await call('POST', `${query}/discover`, {
      query: 'Why did pump 7 stop?',
      history: [],
      preset,
    })
    expect(found).toMatchObject({
      header: expect.any(String),
      count: 1,
      sandbox_id: id,
      next_steps: expect.any(String),
    })
    const item = { id: expect.any(String), score: expect.any(Number), summary: expect.stringMatching(/pump 7/i) }
    expect(found.items).toMatchObject([item])
    const items = found.items.map((each: { canonical_ids: string[] }) => each.canonical_ids)
    const { body: brief } = await call('POST', `${query}/interpret`, { query: found.query, items, history: [], preset })
    expect(brief).toMatchObject({ brief: expect.stringContaining('full of sand'), items, query: found.query })
    const { body: answer } = await call('POST', `${query}/search`, { query: found.query, history: [], preset })
    expect(answer).toMatchObject({ answer: expect.stringContaining('full of sand'), preset: 'auto' })
    const ids = answer.citations.map((each: { canonical_id: string }) => each.canonical_id)
    const { body: origins } = await call('POST', `${query}/origins`, { canonical_ids: ids })
    expect(origins.origins.map((each: { canonical_id: string }) => each.canonical_id)).toEqual(ids)

    const { body: gathered } = await call('POST', `${query}/context`, { query: found.query, preset })
    expect(gathered.passages).toHaveLength(1)

    const usage = await call('GET', '/api/v1/usage')
    expect(usage.body).toMatchObject({ summary: { total_tokens: 0, total_calls: 0 }, by_model: [], by_call_type: [] })
    const balance = { credits_purchased: 0, credits_used: 0, credits_remaining: 0, currency: 'usd' }
    expect((await call('GET', '/api/v1/usage/balance')).body).toEqual(balance)

    // With two sandboxes there is no primary one until one is chosen, and the error says so.
    await call('POST', '/api/v1/storage/sandboxes', { name: 'Second', owner_id: 'me' })
    const lost = await call('POST', '/api/v1/storage/ingest', note)
    expect([lost.status, lost.body.reason]).toEqual([404, 'no_primary_sandbox'])
    await call('POST', '/api/v1/users/me/profile', { sandbox_id: id })
    expect((await call('POST', '/api/v1/storage/ingest', note)).status).toBe(202)
  })

  it('a client that accepts only these fields treats a purge as done', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await putRecords(call, sandbox, [{ external_id: 'a', type: 'note', text: 'Pump 7 stopped.' }])
    const project = { name: 'Pumps', data_source_ids: [sandbox.source] }
    await call('POST', `${sandbox.storage}/projects`, project)
    const path = `${sandbox.storage}/sources/${sandbox.source}/purge`
    const { status, body } = await call('POST', path, { delete_source: true })
    const { vault_objects_deleted: files, ...rest } = body
    expect(files).toBeGreaterThan(0)
    expect([status, rest]).toEqual([
      200,
      {
        success: true,
        delete_source_applied: true,
        events_deleted: 1,
        extractions_deleted: 0,
        canonical_index_rows_deleted: 0,
        entity_vectors_deleted: 0,
        triggers_deleted: 0,
        webhooks_deleted: 0,
        event_seen_deleted: 0,
        project_links_deleted: 1,
        strategy_artifacts_deleted: 0,
        pull_artifacts_deleted: 0,
        user_strategies_deleted: 0,
      },
    ])
  })
})
