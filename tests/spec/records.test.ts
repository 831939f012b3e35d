import { expect, it } from 'vitest'
import { newSandbox, onEachApp, putRecords } from '../harness/test-app.ts'

const message = (id: string, text: string, more: object = {}) => ({ external_id: id, type: 'message', text, ...more })

onEachApp((app) => {
  const open = async () => {
    const account = await app().newAccount()
    const sandbox = await newSandbox(account.call)
    const { call } = account
    const list = async (query = '') => {
      const { body } = await call('GET', `${sandbox.storage}/records${query}`)
      return body.records.map(({ external_id: id }: { external_id: string }) => id) as string[]
    }
    const idOf = async (external: string) => {
      const { body } = await call('GET', `${sandbox.storage}/records`)
      return body.records.find((each: { external_id: string }) => each.external_id === external)?.record_id as string
    }
    return { ...account, sandbox, list, idOf }
  }

  it('are listed latest first, by type, source, time and words, page by page', async () => {
    const { call, sandbox, list } = await open()
    const { body: other } = await call('POST', `${sandbox.storage}/sources`, { provider: 'notes', name: 'Notes' })
    await putRecords(call, sandbox, [
      message('may', 'The pumps were oiled.', { occurred_at: '2026-05-01', author: { name: 'Ada Berg' } }),
      message('june', 'A pump has failed in the cellar.', { occurred_at: '2026-06-01T10:00:00Z', title: 'Failure' }),
      message('undated', 'Pumps of the cellar'),
      message('chinese', '新泵站已经开放'),
      message('other', '泵和车站'),
      { ...message('issue', 'Replace the pump', { occurred_at: '2026-04-01' }), type: 'issue' },
    ])
    const notes = `${sandbox.storage}/sources/${other.data_source_id}/records`
    const url = 'https://example.org/note'
    await call('POST', notes, { records: [message('note', 'Nothing', { url })] }, { prefer: 'wait=30' })
    expect((await list()).slice(0, 3)).toEqual(['june', 'may', 'issue'])
    expect((await list()).sort()).toEqual(['chinese', 'issue', 'june', 'may', 'note', 'other', 'undated'])
    expect(await list('?type=issue')).toEqual(['issue'])
    expect(await list(`?source_id=${other.data_source_id}`)).toEqual(['note'])
    expect(await list('?since=2026-05-01')).toEqual(['june', 'may'])
    expect(await list('?until=2026-05-01')).toEqual(['issue'])
    expect(await list('?since=2026-05-01&until=2026-06-01T10:00:00Z')).toEqual(['may'])
    expect((await list('?q=pump%20cellar')).sort()).toEqual(['june', 'undated'])
    expect(await list('?q=FAILURES%20of%20pumps')).toEqual(['june'])
    expect(await list('?q=%E6%B3%B5%E7%AB%99')).toEqual(['chinese'])
    expect(await list('?q=cellar%20submarine')).toEqual([])
    expect((await call('GET', `${sandbox.storage}/records?source_id=src_nothing`)).status).toBe(404)
    const { body: first } = await call('GET', `${sandbox.storage}/records?limit=3`)
    expect(first).toMatchObject({ count: 3, next_cursor: expect.any(String) })
    expect(first.records[0]).toMatchObject({ title: 'Failure', type: 'message', source_id: sandbox.source, url: null })
    const [, may] = first.records
    expect([may.snippet, may.author]).toEqual(['The pumps were oiled.', 'Ada Berg'])
    const { body: rest } = await call('GET', `${sandbox.storage}/records?limit=9&cursor=${first.next_cursor}`)
    expect(rest.count).toBe(4)
    expect(rest.next_cursor).toBeUndefined()
    const ids = [...first.records, ...rest.records].map((each: { external_id: string }) => each.external_id)
    expect(new Set(ids).size).toBe(7)
    const wrong = await call('GET', `${sandbox.storage}/records?type=issue&cursor=${first.next_cursor}`)
    expect(wrong).toMatchObject({ status: 400, body: { reason: 'invalid_cursor' } })
    expect((await call('GET', `${sandbox.storage}/records?since=2026-13-01`)).status).toBe(422)
  })

  it('have their status and the locations in their document, and keep both in an export', async () => {
    const { call, sandbox, list, idOf } = await open()
    const owner = { name: 'Ida Frost', email: 'ida@example.org' }
    const locators = [
      { start: 0, locator: 'p. 1' },
      { start: 9, locator: 'p. 2' },
    ]
    const stands = { phase: 'doing', owner, due: '2026-05-04', kind: 'Defect', locators }
    await putRecords(call, sandbox, [
      message('pump', 'The pump\nleaks.', stands),
      message('valve', 'The valve is shut.', { phase: 'done', owner: 'Ivo Lind', due: '2026-06-01T12:00:00+02:00' }),
      message('plain', 'Nothing is known of open work.'),
    ])
    expect(await list('?phase=doing')).toEqual(['pump'])
    expect(await list('?owner=ida%20frost')).toEqual(['pump'])
    expect(await list('?due=2026-06')).toEqual(['valve'])
    expect(await list('?due=2026-05-04&kind=defect')).toEqual(['pump'])
    expect(await list('?phase=open')).toEqual([])
    expect((await call('GET', `${sandbox.storage}/records?phase=closed`)).status).toBe(422)
    const { body: shown } = await call('GET', `${sandbox.storage}/records/${await idOf('pump')}`)
    const basis = { phase: 'source', owner: 'source', due: 'source', kind: 'source' }
    const kept = { name: 'Ida Frost', identifiers: { email: 'ida@example.org' } }
    expect(shown).toMatchObject({ ...stands, owner: kept, basis })
    expect(shown).not.toHaveProperty('blocks')
    expect((await call('GET', `${sandbox.storage}/records/${await idOf('valve')}`)).body.due).toBe(
      '2026-06-01T10:00:00.000Z',
    )
    expect((await call('GET', `${sandbox.storage}/records/${await idOf('plain')}`)).body).not.toHaveProperty('basis')
    const lines = String((await call('GET', `${sandbox.storage}/export`)).body)
    const other = await newSandbox(call, 'Imported')
    await call('POST', `${other.storage}/import`, lines, { 'content-type': 'application/x-ndjson', prefer: 'wait=30' })
    const { body: there } = await call('GET', `${other.storage}/records?phase=doing`)
    expect(there.records).toHaveLength(1)
    const { body: again } = await call('GET', `${other.storage}/records/${there.records[0].record_id}`)
    expect(again).toMatchObject({ ...stands, owner: kept, basis })
  })

  it('are rejected individually if document locations are out of order or beyond the text', async () => {
    const { call, sandbox } = await open()
    const at = (...starts: number[]) => starts.map((start) => ({ start, locator: `p. ${start}` }))
    const { result } = await putRecords(call, sandbox, [
      message('good', 'text', { locators: at(0, 4) }),
      message('unordered', 'text', { locators: at(2, 2) }),
      message('behind', 'text', { locators: at(5) }),
      message('phase', 'text', { phase: 'closed' }),
      message('due', 'text', { due: 'soon' }),
    ])
    expect(result).toMatchObject({ written: 1, failed: 4 })
  })

  it('stay deleted while their source sends the same, and return when it sends something else', async () => {
    const { call, sandbox, list, idOf } = await open()
    const author = { name: 'Ida Frost', identifiers: { email: 'ida@example.org' } }
    const said = message('one', 'The secret recipe needs saffron.', { author, occurred_at: '2026-05-01' })
    await putRecords(call, sandbox, [said, message('two', 'Another one.')])
    const path = `${sandbox.storage}/records/${await idOf('one')}`
    expect(await call('DELETE', path)).toMatchObject({ status: 200, body: { success: true } })
    expect(await list()).toEqual(['two'])
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('DELETE', path)).status).toBe(404)
    const { body: found } = await call('POST', `${sandbox.query}/discover`, { query: 'saffron recipe' })
    expect(JSON.stringify(found)).not.toContain('saffron.')
    expect((await call('GET', `${sandbox.storage}/entities/search?q=Ida%20Frost`)).body.results).toEqual([])
    expect((await putRecords(call, sandbox, [said])).result).toMatchObject({ written: 0, unchanged: 1 })
    expect(await list()).toEqual(['two'])
    expect((await putRecords(call, sandbox, [{ ...said, text: 'No saffron.' }])).result).toMatchObject({ written: 1 })
    expect(await list()).toContain('one')
    expect((await putRecords(call, sandbox, [said])).result).toMatchObject({ written: 1 })
    const { body: audit } = await call('GET', `${sandbox.storage}/audit`)
    expect(audit.events.some(({ event }: { event: string }) => event === 'record.deleted')).toBe(true)
  })

  it('are new again after their source was purged, and cannot be deleted in an inactive sandbox', async () => {
    const { call, sandbox, list, idOf } = await open()
    await putRecords(call, sandbox, [message('one', 'Saffron.'), message('two', 'Salt.')])
    const id = await idOf('one')
    await call('POST', `${sandbox.storage}/archive`)
    expect((await call('DELETE', `${sandbox.storage}/records/${id}`)).status).toBe(409)
    await call('POST', `${sandbox.storage}/reactivate`)
    expect((await call('DELETE', `${sandbox.storage}/records/${id}`)).status).toBe(200)
    await call('POST', `${sandbox.storage}/sources/${sandbox.source}/purge`, {})
    expect(await list()).toEqual([])
    expect((await putRecords(call, sandbox, [message('one', 'Saffron.')])).result).toMatchObject({ written: 1 })
  })

  it("and jobs are limited to the caller's project, and only those can be deleted", async () => {
    const { call, sandbox, idOf } = await open()
    const friend = await app().newAccount()
    const { body: inside } = await call('POST', `${sandbox.storage}/sources`, { provider: 'notes', name: 'Notes' })
    const { body: project } = await call('POST', `${sandbox.storage}/projects`, {
      name: 'P',
      data_source_ids: [inside.data_source_id],
    })
    await putRecords(call, sandbox, [
      message('hidden', 'Hidden saffron.'),
      message('named', 'Named saffron.', { project_id: project.project_id }),
    ])
    const put = { ...sandbox, records: `${sandbox.storage}/sources/${inside.data_source_id}/records` }
    await putRecords(call, put, [message('open', 'Open saffron.')])
    const grant = { user_id: friend.userId, role: 'editor', project_id: project.project_id }
    await call('POST', `${sandbox.storage}/connections`, grant)
    const seen = async (query = '') => {
      const { body } = await friend.call('GET', `${sandbox.storage}/records${query}`)
      const { records } = body as { records: { external_id: string; source_id: string | null }[] }
      return records.map(({ external_id, source_id }) => [external_id, source_id])
    }
    expect((await seen()).sort()).toEqual([
      ['named', null],
      ['open', inside.data_source_id],
    ])
    expect((await seen('?q=saffron')).length).toBe(2)
    const foreign = `${sandbox.storage}/records?source_id=${sandbox.source}`
    expect((await friend.call('GET', foreign)).status).toBe(404)
    expect((await seen(`?source_id=${inside.data_source_id}`)).length).toBe(1)
    expect((await call('GET', `${sandbox.storage}/jobs`)).body.count).toBe(2)
    expect((await friend.call('GET', `${sandbox.storage}/jobs`)).body).toEqual({ jobs: [], count: 0 })
    expect((await friend.call('DELETE', `${sandbox.storage}/records/${await idOf('hidden')}`)).status).toBe(404)
    expect((await friend.call('DELETE', `${sandbox.storage}/records/${await idOf('open')}`)).status).toBe(200)
    expect((await seen()).map(([id]) => id)).toEqual(['named'])
  })

  it('have jobs that are listed newest first, by status', async () => {
    const { call, sandbox } = await open()
    for (const id of ['a', 'b', 'c']) {
      app().clock.advance(1_000)
      await putRecords(call, sandbox, [message(id, id)])
    }
    const path = `${sandbox.storage}/jobs`
    const { body: first } = await call('GET', `${path}?limit=2`)
    const { body: rest } = await call('GET', `${path}?limit=2&cursor=${first.next_cursor}`)
    const jobs = [...first.jobs, ...rest.jobs] as { created_at: string; status: string }[]
    expect([first.count, rest.count, rest.next_cursor]).toEqual([2, 1, undefined])
    expect(first.jobs[0].source_id).toBe(sandbox.source)
    expect(jobs.map((job) => job.created_at)).toEqual(
      jobs
        .map((job) => job.created_at)
        .sort()
        .reverse(),
    )
    expect((await call('GET', `${path}?status=completed`)).body.count).toBe(3)
    expect((await call('GET', `${path}?status=failed`)).body.count).toBe(0)
    expect((await call('GET', `${path}?status=lost`)).status).toBe(422)
    expect((await call('GET', `${path}/${'x'}`)).status).toBe(404)
  })

  it('link to entities that are listed by their records and by name', async () => {
    const { call, sandbox } = await open()
    const by = (name: string) => ({ author: { name, identifiers: { login: name } } })
    await putRecords(call, sandbox, [
      message('1', 'a', by('Cleo')),
      message('2', 'b', by('Ana')),
      message('3', 'c', by('Ben')),
      message('4', 'd', by('Ben')),
      message('5', 'e', by('Ben')),
      message('6', 'f', by('Ana')),
    ])
    const names = async (query: string) => {
      const { body } = await call('GET', `${sandbox.storage}/entities?${query}`)
      return { names: body.entities.map(({ name }: { name: string }) => name), cursor: body.next_cursor }
    }
    expect((await names('sort=records')).names).toEqual(['Ben', 'Ana', 'Cleo'])
    expect((await names('sort=name')).names).toEqual(['Ana', 'Ben', 'Cleo'])
    const { names: two, cursor } = await names('sort=name&limit=2')
    expect(two).toEqual(['Ana', 'Ben'])
    expect((await names(`sort=name&limit=2&cursor=${cursor}`)).names).toEqual(['Cleo'])
    expect((await names('sort=records&q=Ana')).names).toEqual(['Ana'])
    expect((await call('GET', `${sandbox.storage}/entities?sort=name&cursor=x`)).status).toBe(400)
    expect((await call('GET', `${sandbox.storage}/entities?sort=size`)).status).toBe(422)
  })

  it('come from products that are listed with each way to connect them', async () => {
    const { call, sandbox } = await open()
    const { status, body } = await call('GET', `${sandbox.storage}/providers`)
    expect([status, body.count]).toEqual([200, body.providers.length])
    const ways = Object.fromEntries(
      body.providers.map(({ provider, ways: all }: { provider: string; ways: { ingestion_mode: string }[] }) => [
        provider,
        all.map(({ ingestion_mode: mode }) => mode),
      ]),
    )
    expect(ways).toMatchObject({ github: ['realtime', 'polling'], json: ['realtime'], user_mcp: ['polling'] })
    for (const { provider, ways: all } of body.providers) {
      for (const way of all.filter(({ settings_in: field }: { settings_in: string | null }) => field)) {
        // This address does not answer, and no other one is called.
        const { base_url, url } = way.settings.properties
        const address = 'https://api.invalid/'
        const adapter_config = { ...(base_url && { base_url: address }), ...(url && { url: address }) }
        const secret = way.credential ? { [way.credential]: 'a-secret' } : {}
        const source = { provider, name: provider, ingestion_mode: way.ingestion_mode, adapter_config, ...secret }
        const made = await call('POST', `${sandbox.storage}${way.path}`, source)
        expect([provider, made.status]).toEqual([provider, 201])
      }
    }
    const linear = body.providers.find((each: { provider: string }) => each.provider === 'linear')
    expect(linear.ways[1]).toMatchObject({ path: '/sources/linear', credential: 'api_key', settings_in: null })
    expect(linear.ways[1].settings.properties).toHaveProperty('include')
  })
})
