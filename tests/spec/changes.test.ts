import { beforeAll, describe, expect, it } from 'vitest'
import { newPerson, type Person } from '../harness/postgres-people.ts'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

interface Change {
  change: 'added' | 'changed' | 'removed' | 'merged'
  kind: 'record' | 'entity'
  id: string
  into?: string
  type?: string
  title?: string
}

const note = (id: string, more: object = {}) => ({ external_id: id, type: 'note', title: `Note ${id}`, ...more })
const PAGES_MAX = 500

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  const read = (query = '', by = call, at = sandbox): Promise<Answer> => by('GET', `${at.storage}/changes?${query}`)

  /** Reads all pages after a cursor. Returns the changes and the next cursor. */
  const readAll = async (more = '', since?: string, by = call, at = sandbox) => {
    const changes: Change[] = []
    let cursor = since
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const { status, body } = await read(`${cursor ? `since=${cursor}&` : ''}${more}`, by, at)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.count).toBe(body.changes.length)
      changes.push(...body.changes)
      cursor = body.next_cursor as string
      if (!body.has_more) return { changes, cursor }
    }
    throw new Error('the pages have no end')
  }
  const ofRecords = (changes: Change[]) => changes.filter(({ kind }) => kind === 'record')

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
  })

  it('lists in order what was added, changed, removed and merged, and then nothing more', async () => {
    const people = ['Ana Lima', 'Anna Lima'].map((name) => ({ type: 'person', name, identifiers: { login: name } }))
    await putRecords(call, sandbox, [note('n1', { url: 'https://n.example/1' }), note('n2', { entities: people })])
    const first = await readAll()
    const [one, two] = ofRecords(first.changes)
    expect(one).toMatchObject({ change: 'added', type: 'note', title: 'Note n1', url: 'https://n.example/1' })
    expect(two).toMatchObject({ change: 'added', title: 'Note n2' })
    const found = first.changes.filter(({ kind, change }) => kind === 'entity' && change === 'added')
    expect(found.map(({ title }) => title).sort()).toEqual(['Ana Lima', 'Anna Lima'])

    await putRecords(call, sandbox, [note('n1', { text: 'Anew.' }), { external_id: 'n2', type: 'note', deleted: true }])
    const second = await readAll('', first.cursor)
    expect(ofRecords(second.changes).map(({ change, id }) => [change, id])).toEqual([
      ['changed', one!.id],
      ['removed', two!.id],
    ])
    const gone = second.changes.filter(({ kind, change }) => kind === 'entity' && change === 'removed')
    expect(gone.map(({ id }) => id).sort()).toEqual(found.map(({ id }) => id).sort())

    await putRecords(call, sandbox, [note('n3', { entities: people })])
    const third = await readAll('', second.cursor)
    const [ana, anna] = third.changes.filter(({ kind }) => kind === 'entity').map(({ id }) => id)
    expect((await call('POST', `${sandbox.storage}/entities/${ana}/merge`, { into: anna })).status).toBe(200)
    const fourth = await readAll('', third.cursor)
    expect(fourth.changes).toContainEqual(expect.objectContaining({ change: 'merged', id: ana, into: anna }))
    expect(await readAll('', fourth.cursor)).toEqual({ changes: [], cursor: fourth.cursor })
  })

  it('is the same in pages of any size, and for a subset of types', async () => {
    await putRecords(call, sandbox, [note('t1'), { external_id: 't2', type: 'task', title: 'Task' }])
    const { changes } = await readAll()
    for (const limit of [1, 2, 7]) expect((await readAll(`limit=${limit}`)).changes).toEqual(changes)
    const tasks = (await readAll('types=task,%20person')).changes
    expect(ofRecords(tasks).filter(({ type }) => type === 'task')).toHaveLength(1)
    expect(tasks).toEqual(changes.filter(({ type }) => type === 'task' || type === 'person'))
    expect((await readAll('types=task&limit=1')).changes).toEqual(tasks.filter(({ type }) => type === 'task'))
  })

  it('begins at a time or day, and rejects anything but these and a cursor of this list', async () => {
    expect((await readAll('since=2020-01-01&limit=1000')).changes.length).toBeGreaterThan(0)
    const later = (await read('since=2999-01-01T00:00:00Z')).body
    expect(later).toMatchObject({ changes: [], has_more: false })
    await putRecords(call, sandbox, [note('later')])
    expect(ofRecords((await readAll('', later.next_cursor)).changes)).toMatchObject([{ title: 'Note later' }])
    expect((await read('since=2026-02-31')).status).toBe(422)
    expect((await read('since=nonsense')).body).toMatchObject({ error: 'bad_request', reason: 'invalid_cursor' })
    expect((await read(`since=${later.next_cursor}&types=note`)).status).toBe(400)
    for (const limit of [0, 1001]) expect((await read(`limit=${limit}`)).status).toBe(422)
  })

  it("a purged source's removed records are listed", async () => {
    const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider: 'notes', name: 'Purged' })
    const path = `${sandbox.storage}/sources/${source.data_source_id}`
    await putRecords(call, { ...sandbox, records: `${path}/records` }, [note('p1'), note('p2')])
    const { changes, cursor } = await readAll()
    const ids = changes.filter(({ title }) => /Note p\d/.test(title ?? '')).map(({ id }) => id)
    expect((await call('POST', `${path}/purge`, {})).status).toBeLessThan(300)
    const after = (await readAll('', cursor)).changes
    expect(
      ofRecords(after)
        .map(({ change, id }) => [change, id])
        .sort(),
    ).toEqual(ids.map((id) => ['removed', id]).sort())
  })

  it('a consumer that polls during writes gets every change once, in a consistent order', async () => {
    const busy = await newSandbox(call, 'Busy')
    let seed = 11
    const chance = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      return (seed >>> 8) % below
    }
    let isDone = false
    const writer = async (name: string) => {
      for (let round = 0; round < 6; round += 1) {
        const batch = Array.from({ length: 8 }, () => {
          const id = `${name}${chance(10)}`
          return chance(3) === 0
            ? { external_id: id, type: 'note', deleted: true }
            : note(id, { text: `${chance(99)}` })
        })
        await putRecords(call, busy, [...new Map(batch.map((each) => [each.external_id, each])).values()])
      }
    }
    const received: Change[] = []
    const reader = async () => {
      let cursor = ''
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const wasDone = isDone
        const { status, body } = await read(`limit=3${cursor && `&since=${cursor}`}`, call, busy)
        expect(status).toBe(200)
        received.push(...body.changes)
        cursor = body.next_cursor
        if (wasDone && !body.has_more) return
      }
    }
    const reading = reader()
    await Promise.all([writer('a'), writer('b')])
    isDone = true
    await reading
    const live = new Set<string>()
    for (const { change, id } of ofRecords(received)) {
      expect(live.has(id), `${change} ${id}`).toBe(change !== 'added')
      if (change === 'removed') live.delete(id)
      else live.add(id)
    }
    const lines: string = (await call('GET', `${busy.storage}/export`)).body
    const stored = String(lines).match(/"record_id":"(rec_[0-9a-v]{26})"/g) ?? []
    expect([...live].sort()).toEqual(stored.map((each) => each.slice('"record_id":"'.length, -1)).sort())
    expect(live.size).toBeGreaterThan(0)
    expect(received).toEqual(
      (await readAll('', undefined, call, busy)).changes.map((each) =>
        expect.objectContaining({ id: each.id, change: each.change }),
      ),
    )
  })

  describe('within a project', () => {
    let viewer: Person
    let project: string
    let within: TestSandbox

    beforeAll(async () => {
      viewer = await newPerson(app())
      const { body: source } = await call('POST', `${sandbox.storage}/sources`, { provider: 'notes', name: 'Inside' })
      within = { ...sandbox, records: `${sandbox.storage}/sources/${source.data_source_id}/records` }
      const made = { name: 'Inside', data_source_ids: [source.data_source_id] }
      project = (await call('POST', `${sandbox.storage}/projects`, made)).body.project_id
      const grant = { user_id: viewer.userId, role: 'viewer', project_id: project }
      await call('POST', `${sandbox.storage}/connections`, grant)
    })

    it('lists only its records, and reveals no change outside it', async () => {
      const get: Call = (_, path) => viewer.get(path)
      await putRecords(call, within, [note('in1')])
      const { changes, cursor } = await readAll('', undefined, get)
      expect(changes).toMatchObject([{ change: 'added', kind: 'record', title: 'Note in1' }])
      await putRecords(call, sandbox, [note('out1', { author: 'Somebody Else' })])
      expect(await readAll('', cursor, get)).toEqual({ changes: [], cursor })
      await putRecords(call, within, [note('in1', { text: 'Anew.' })])
      expect((await readAll('', cursor, get)).changes).toMatchObject([{ change: 'changed', title: 'Note in1' }])
    })

    it('pages of any size list everything, and no page or cursor reveals changes outside', async () => {
      const get: Call = (_, path) => viewer.get(path)
      const { cursor } = await readAll('', undefined, get)
      for (let at = 0; at < 4; at += 1) {
        await putRecords(call, sandbox, [note(`beside${at}`), note(`beside too${at}`)])
        await putRecords(call, within, [note(`page${at}`)])
      }
      await putRecords(call, sandbox, [note('beside the last', { author: 'Nobody Inside' })])
      const expectedTitles = ['0', '1', '2', '3'].map((at) => `Note page${at}`)
      for (const limit of [1, 2, 3, 100]) {
        const titles: (string | undefined)[] = []
        for (let since = cursor, page = 0; page <= expectedTitles.length; page += 1) {
          const { body } = await read(`limit=${limit}&since=${since}`, get)
          titles.push(...body.changes.map((each: Change) => each.title))
          expect([page, body.has_more]).toEqual([page, titles.length < expectedTitles.length])
          since = body.next_cursor
          if (!body.has_more) break
        }
        expect(titles).toEqual(expectedTitles)
      }
      // A cursor is bound to its access scope, so it reveals nothing to others.
      const { cursor: whole } = await readAll()
      expect([(await read(`since=${cursor}`)).status, (await read(`since=${whole}`, get)).status]).toEqual([400, 400])
    })

    it('a record moved out of it is removed for callers inside, and changed for others', async () => {
      const get: Call = (_, path) => viewer.get(path)
      await putRecords(call, within, [note('moved')])
      const [inside, all] = [await readAll('', undefined, get), await readAll()]
      const { body: other } = await call('POST', `${sandbox.storage}/projects`, { name: 'Other' })
      await putRecords(call, within, [note('moved', { project_id: other.project_id })])
      const moved = inside.changes.find(({ title }) => title === 'Note moved')!
      expect((await readAll('', inside.cursor, get)).changes).toMatchObject([{ change: 'removed', id: moved.id }])
      const rest = ofRecords((await readAll('', all.cursor)).changes)
      expect(rest).toMatchObject([{ change: 'changed', id: moved.id }])
    })
  })
})
