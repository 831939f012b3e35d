import { featureOperations, needsAccessScope, type Operation } from '@cairnstore/contract'
import { beforeAll, expect, it } from 'vitest'
import { chanceFrom } from '../harness/chance.ts'
import { newPerson, type Person, SANDBOXES, withToken } from '../harness/postgres-people.ts'
import { type Answer, onEachApp } from '../harness/test-app.ts'

/** Word in every name, text and id outside the project that the grants are limited to. */
const CANARY = 'periwinkle'
const QUESTION = 'What is the secret of Harbour?'
const SEED = 36
const QUESTIONS_REFUSED = 12
const THINGS = ['lantern', 'gantry', 'kettle', 'tractor', 'orchard']
const DOINGS = ['painted', 'borrowed', 'inspected', 'repaired']

type Ids = Record<string, string>

onEachApp((app) => {
  let owner: Person
  let viewer: Person
  let editor: Person
  let path: string
  let query: string
  let inside: Ids
  let outside: Ids

  const waited = async (url: string, body: unknown): Promise<Answer['body']> => {
    const headers = { authorization: `Bearer ${owner.key}`, prefer: 'wait=30' }
    const { status, body: job } = await app().anonymous('POST', url, body, headers)
    expect(status, JSON.stringify(job)).toBe(200)
    return job
  }

  /** Creates a project with a source, a record, a text and a job. Every string contains the word. */
  const fill = async (word: string): Promise<Ids> => {
    const source = (await owner.post(`${path}/sources`, { provider: 'slack', name: `Chat ${word}` })).body
      .data_source_id
    const linked = { name: `Project ${word}`, description: word, data_source_ids: [source] }
    const project = (await owner.post(`${path}/projects`, linked)).body.project_id
    const record = {
      external_id: `${word}-1`,
      type: 'note',
      text: `The secret of Harbour is ${word}.`,
      author: `Ann ${word}`,
      entities: [{ type: 'person', name: 'Priya Raman', aliases: [`Priya ${word}`], properties: { nick: word } }],
    }
    const job = await waited(`${path}/sources/${source}/records`, { records: [record] })
    const text = await waited(`${path}/ingest`, { text: `Harbour text of ${word}.`, project_id: project })
    return { source, project, job: job.job_id, text: text.job_id }
  }

  beforeAll(async () => {
    ;[owner, viewer, editor] = [await newPerson(app()), await newPerson(app()), await newPerson(app())]
    const sandbox = await owner.newSandbox()
    path = `${SANDBOXES}/${sandbox}`
    query = `/api/v1/query/sandboxes/${sandbox}`
    inside = await fill('marigold')
    outside = await fill(CANARY)
    // The record belongs to the project by its own project_id, although its source does not.
    const own = { external_id: '2', type: 'note', text: 'Harbour, by its own project.', project_id: inside.project }
    await waited(`${path}/sources/${outside.source}/records`, { records: [own] })
    for (const [person, role] of [
      [viewer, 'viewer'],
      [editor, 'editor'],
    ] as const) {
      await owner.post(`${path}/connections`, { user_id: person.userId, role, project_id: inside.project })
    }
    const { items } = (await owner.post(`${query}/discover`, { query: CANARY, project_id: outside.project })).body
    const found = items.find((item: { external_id: string }) => item.external_id === `${CANARY}-1`)
    outside = { ...outside, record: found.record_id, entity: found.canonical_ids[0] }
    const entities = (await owner.get(`${path}/entities/search?q=Priya%20Raman`)).body.results
    inside = { ...inside, entity: entities[0].canonical_id }
  })

  const values = (): Ids => ({
    sandbox_id: path.split('/').at(-1) as string,
    source_id: inside.source as string,
    project_id: inside.project as string,
    job_id: inside.text as string,
    canonical_id: inside.entity as string,
  })

  it("a grant on one project shows the sandbox with only that project's content", async () => {
    expect((await viewer.get(SANDBOXES)).body.sandboxes).toMatchObject([{ access: 'viewer', is_external: true }])
    for (const [id, operation] of Object.entries(featureOperations as Record<string, Operation>)) {
      if (!needsAccessScope(operation) || operation.method !== 'GET' || !operation.path.includes(':sandbox_id'))
        continue
      const url = operation.path.replace(/:(\w+)/g, (_, name: string) => values()[name] ?? 'none')
      for (const person of [viewer, editor]) {
        const { body } = await person.get(`${url}?q=Priya`)
        const said = JSON.stringify(body)
        for (const foreign of [CANARY, ...Object.values(outside)])
          expect(said, `${id} ${foreign}`).not.toContain(foreign)
      }
    }
    expect((await viewer.get(`${path}/projects`)).body.count).toBe(1)
    expect((await viewer.get(`${path}/sources`)).body.count).toBe(1)
    const entity = (await viewer.get(`${path}/entities/${inside.entity}`)).body
    expect(entity).toMatchObject({ properties: { nick: 'marigold' }, record_count: 1 })
    expect((await owner.get(`${path}/entities/${inside.entity}`)).body.record_count).toBe(2)
  })

  it('questions, briefs and exports use only the project, whatever is pinned', async () => {
    const items = [[outside.record], [outside.entity, outside.record], [inside.entity]]
    const found = await viewer.post(`${query}/discover`, { query: `${QUESTION} ${CANARY}`, limit: 100 })
    const brief = await viewer.post(`${query}/interpret`, { query: QUESTION, items })
    const wider = await viewer.post(`${query}/interpret`, { query: QUESTION, items, preset: 'discover' })
    const gathered = await viewer.post(`${query}/context`, { query: `${QUESTION} ${CANARY}` })
    const pinned = await viewer.post(`${query}/context`, { query: QUESTION, items })
    const exported = await viewer.get(`${path}/export`)
    // The question and the pins are echoed, so they are excluded.
    const said = [
      { ...found.body, query: '' },
      { ...brief.body, items: [] },
      { ...wider.body, items: [] },
      gathered.body,
      pinned.body,
      exported.body,
    ]
    for (const each of said) {
      const text = JSON.stringify(each)
      expect(text).toContain('marigold')
      for (const foreign of [CANARY, ...Object.values(outside)]) expect(text).not.toContain(foreign)
    }
    expect(found.body).toMatchObject({ project_id: inside.project, count: 3 })
    expect(found.body.header).not.toMatch(/of \d/)
    expect((await owner.post(`${query}/discover`, { query: QUESTION, limit: 100 })).body.count).toBeGreaterThan(3)
  })

  it('an abstention is byte for byte the same, whatever is outside the project', async () => {
    const chance = chanceFrom(SEED)
    const pick = (words: readonly string[]) => words[Math.floor(chance() * words.length)]!
    const asked = Array.from({ length: QUESTIONS_REFUSED }, () => {
      const [thing, doing] = [pick(THINGS), pick(DOINGS)]
      return pick([
        `Who ${doing} the ${thing} of Zora Quill?`,
        `what was the ${thing} ${doing} for in harbour`,
        `Why was the ${thing} of Zora Quill ${doing}?`,
        `When did Harbour get the Quokka-7 ${thing}?`,
      ])
    })
    const ask = async (): Promise<string[]> => {
      const replies: string[] = []
      for (const each of asked)
        for (const door of ['search', 'discover'] as const) {
          const { body } = await viewer.post(`${query}/${door}`, { query: each, reference_date: '2026-07-31' })
          if (door === 'search') expect(body, each).toMatchObject({ answered: false })
          const { execution_time_ms: _, answer_id: __, ...reply } = body
          replies.push(JSON.stringify(reply))
        }
      return replies
    }
    const before = await ask()
    const records = asked.flatMap((each, at) => [
      { external_id: `told-${at}`, type: 'note', title: each, text: `${each} It is told here: ${each.toLowerCase()}` },
      {
        external_id: `outage-${at}`,
        type: 'message',
        text: `The outage of Harbour. ${each}`,
        author: { name: 'Zora Quill', email: 'zora@example.com' },
        entities: [{ type: 'incident', name: 'Quokka-7', identifiers: { key: 'QUO-7' } }],
      },
    ])
    await waited(`${path}/sources/${outside.source}/records`, { records })
    expect(await ask()).toEqual(before)
    // The records exist: a caller with access gets them.
    const { body } = await owner.post(`${query}/search`, { query: asked[0] })
    expect(body.answered).toBe(true)
  })

  it('a record’s own project counts: the record is visible, but its source is not', async () => {
    const { items } = (await viewer.post(`${query}/discover`, { query: 'Harbour by its own project' })).body
    const [own] = items.filter((item: { external_id: string }) => item.external_id === '2')
    expect(own).toMatchObject({ source_id: null })
    expect((await viewer.get(`${path}/records/${own.record_id}`)).body).toMatchObject({ source_id: null })
    const { origins } = (await viewer.post(`${query}/origins`, { canonical_ids: [own.record_id] })).body
    expect(origins[0].records).toMatchObject([{ record_id: own.record_id, source_id: null }])
    expect((await owner.get(`${path}/records/${own.record_id}`)).body.source_id).toBe(outside.source)
  })

  it('content outside is 404 by its id, like missing content', async () => {
    const paths = [
      `${path}/projects/${outside.project}`,
      `${path}/sources/${outside.source}`,
      `${path}/records/${outside.record}`,
      `${path}/entities/${outside.entity}`,
      `${path}/entities/${outside.entity}/profile`,
      `${path}/entities/${outside.entity}/neighbours`,
      `${path}/overview?project_id=${outside.project}`,
      `${path}/ingest/${outside.job}`,
      `${path}/ingest/${outside.text}`,
      `${path}/entities?project_id=${outside.project}`,
      `${path}/entities/search?q=Ann&project_id=${outside.project}`,
    ]
    for (const url of paths) {
      expect((await owner.get(url)).status, url).toBe(200)
      expect((await editor.get(url)).status, url).toBe(404)
    }
    const { project } = outside
    const items = [[inside.entity]]
    const tries = [
      await editor.post(`${query}/discover`, { query: QUESTION, project_id: project }),
      await editor.post(`${query}/interpret`, { query: QUESTION, items, project_id: project }),
      await editor.post(`${path}/ingest`, { text: 'x', project_id: project }),
      await editor.post(`${path}/ingest`, { text: 'x', data_source_id: outside.source }),
      await editor.post(`${path}/sources/${outside.source}/records`, { records: [] }),
      await editor.patch(`${path}/sources/${outside.source}`, { name: 'x' }),
      await editor.patch(`${path}/projects/${project}`, { name: 'x' }),
      await editor.post(`${path}/projects/${inside.project}/sources/${outside.source}`),
      await editor.delete(`${path}/projects/${project}/sources/${outside.source}`),
    ]
    for (const [at, { status }] of tries.entries()) expect(status, String(at)).toBe(404)
  })

  it('a limited caller sees its own jobs, but not those of others outside the project', async () => {
    expect((await editor.get(`${path}/ingest/${inside.text}`)).status).toBe(200)
    expect((await editor.get(`${path}/ingest/${inside.job}`)).status).toBe(404)
    const own = await editor.post(`${path}/sources/${inside.source}/records`, { records: [] })
    expect((await editor.get(own.body.status_url)).body.job_id).toBe(own.body.job_id)
  })

  it('a limited editor’s new source and texts belong to the project from the start', async () => {
    const made = await editor.post(`${path}/sources`, { provider: 'slack', name: 'New' })
    expect(made.status).toBe(201)
    const { data_source_ids } = (await owner.get(`${path}/projects/${inside.project}`)).body
    expect(data_source_ids).toContain(made.body.data_source_id)
    const taken = await editor.post(`${path}/ingest`, { text: 'Harbour by the editor.' })
    expect(taken.body.project_id).toBe(inside.project)
    const other = { external_id: '9', type: 'note', text: 'x', project_id: outside.project }
    const refused = await editor.post(`${path}/sources/${inside.source}/records`, { records: [other] })
    const { result } = (await editor.get(refused.body.status_url)).body
    expect(result).toMatchObject({ failed: 1, errors: [{ reason: 'unknown_project' }] })
  })

  it('a limited editor changes its project and its links, and creates, archives and deletes none', async () => {
    const one = `${path}/projects/${inside.project}`
    const refusals = [await editor.post(`${path}/projects`, { name: 'x' }), await editor.post(`${one}/archive`)]
    refusals.push(await editor.delete(one))
    for (const { status, body } of refusals) expect([status, body.reason]).toEqual([403, 'grant_limits'])
    expect((await editor.patch(one, { description: 'by the editor' })).status).toBe(200)
    expect((await viewer.patch(one, { description: 'by the viewer' })).status).toBe(403)
    expect((await owner.get(one)).body).toMatchObject({ status: 'active', description: 'by the editor' })
  })

  it('a limited connection’s key has the same limits', async () => {
    const connections = (await owner.get(`${path}/connections`)).body
    const { connection_id } = connections.find((each: { user_id: string }) => each.user_id === viewer.userId)
    const minted = await owner.post(`${path}/connections/${connection_id}/api-keys`)
    const holder = withToken(app(), minted.body.plaintext_key)
    for (const url of [`${path}/projects`, `${path}/sources`, `${path}/entities`]) {
      expect((await holder.get(url)).body).toEqual((await viewer.get(url)).body)
    }
    expect((await holder.get(`${path}/projects/${outside.project}`)).status).toBe(404)
  })

  it('deleting a project deletes the grants limited to it', async () => {
    const person = await newPerson(app())
    const { project_id } = (await owner.post(`${path}/projects`, { name: 'Short' })).body
    await owner.post(`${path}/connections`, { user_id: person.userId, role: 'viewer', project_id })
    expect((await person.get(path)).status).toBe(200)
    await owner.delete(`${path}/projects/${project_id}`)
    expect((await person.get(path)).status).toBe(404)
  })
})
