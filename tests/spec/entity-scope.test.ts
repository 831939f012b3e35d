import { beforeAll, expect, it } from 'vitest'
import { newPerson, type Person, SANDBOXES } from '../harness/postgres-people.ts'
import { type Answer, onEachApp } from '../harness/test-app.ts'

/** More entities with the same name than a search compares. */
const NAMESAKES = 400

onEachApp((app) => {
  let owner: Person
  let viewer: Person
  let path: string

  const project = async (name: string): Promise<{ project: string; put: (records: unknown[]) => Promise<void> }> => {
    const source = (await owner.post(`${path}/sources`, { provider: 'slack', name })).body.data_source_id
    const made = await owner.post(`${path}/projects`, { name, data_source_ids: [source] })
    const headers = { authorization: `Bearer ${owner.key}`, prefer: 'wait=60' }
    const put = async (records: unknown[]) => {
      const reply = await app().anonymous('POST', `${path}/sources/${source}/records`, { records }, headers)
      expect(reply.body.status).toBe('completed')
    }
    return { project: made.body.project_id, put }
  }

  const priya = (more: object) => ({ type: 'person', name: 'Priya Raman', ...more })
  const note = (external_id: string, ...entities: object[]) => ({
    external_id,
    type: 'note',
    text: `Note ${external_id}.`,
    entities,
  })

  beforeAll(async () => {
    owner = await newPerson(app())
    viewer = await newPerson(app())
    path = `${SANDBOXES}/${await owner.newSandbox()}`
    const outside = await project('Outside')
    const inside = await project('Inside')
    const identifiers = { email: 'priya.private@secret.example', url: 'https://secret.example/priya' }
    await outside.put([
      note('o1', priya({ identifiers: { ...identifiers, key: 'SECRET-KEY' }, aliases: ['Bluebell'] })),
      ...Array.from({ length: NAMESAKES }, (_, at) => note(`n${at}`, { type: 'topic', name: `Harbour ${at}` })),
    ])
    await inside.put([
      note('i1', priya({}), { type: 'person', name: 'Ann Lee', identifiers: { email: 'ann@open.example' } }),
      note('i2', { type: 'topic', name: 'Harbour Zulu' }),
    ])
    await owner.post(`${path}/connections`, { user_id: viewer.userId, role: 'viewer', project_id: inside.project })
  })

  const found = async (person: Person, q: string): Promise<Answer['body']> =>
    (await person.get(`${path}/entities/search?q=${encodeURIComponent(q)}`)).body.results
  const listed = async (person: Person, q: string): Promise<string[]> =>
    (await person.get(`${path}/entities?q=${encodeURIComponent(q)}`)).body.entities.map(
      (each: Answer['body']) => each.name,
    )

  it('an identifier or name finds its entity only where a record in scope states it', async () => {
    expect(await found(viewer, 'ann@open.example')).toMatchObject([{ name: 'Ann Lee', similarity: 1 }])
    expect(await found(viewer, 'Priya Raman')).toMatchObject([{ name: 'Priya Raman', similarity: 1 }])
    for (const q of ['priya.private@secret.example', 'https://secret.example/priya', 'SECRET-KEY', 'Bluebell']) {
      expect(await found(owner, q), q).toMatchObject([{ name: 'Priya Raman' }])
      const hits = await found(viewer, q)
      for (const { similarity } of hits) expect(similarity, q).toBeLessThan(0.5)
    }
    for (const q of ['SECRET-KEY', 'Bluebell']) {
      expect(await found(viewer, q), q).toEqual([])
      expect(await listed(viewer, q), q).toEqual([])
    }
  })

  it('an entity in scope is found, regardless of entities out of scope with the same name', async () => {
    expect(await found(viewer, 'Harbour')).toMatchObject([{ name: 'Harbour Zulu' }])
    expect(await listed(viewer, 'Harbour')).toEqual(['Harbour Zulu'])
  })
})
