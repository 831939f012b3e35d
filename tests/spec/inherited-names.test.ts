import { beforeAll, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

/** Names of properties that every object inherits. A sender may use them as field names. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__')

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    const { body } = await call('POST', `${sandbox.storage}/sources`, { provider: 'constructor', name: 'Odd' })
    const odd = { ...sandbox, records: `${sandbox.storage}/sources/${body.data_source_id}/records` }
    const asked = Object.fromEntries(INHERITED.map((name) => [name, `a ${name}`]))
    const plain = { name: 'Quay', type: 'project' }
    await putRecords(call, odd, [
      {
        external_id: 'named',
        type: 'issue',
        title: 'The harbour needs a crane',
        text: 'Priya Raman asked for the crane of the harbour.',
        properties: asked,
        entities: [{ type: 'person', name: 'Priya Raman', identifiers: asked, properties: asked }, plain],
        relations: INHERITED.map((predicate) => ({ subject: 'Priya Raman', predicate, object: 'Quay' })),
      },
      ...INHERITED.map((name) => ({
        external_id: name,
        type: name,
        title: `The ${name} of the harbour`,
        text: 'Told.',
      })),
      { external_id: 'plain', type: 'issue', title: 'The harbour is closed', text: 'No crane.', properties: { a: 1 } },
    ])
  })

  it('an entity shows identifiers and properties with names such as `constructor`', async () => {
    const { body: found } = await call('GET', `${sandbox.storage}/entities/search?q=Priya%20Raman`)
    const entity = await call('GET', `${sandbox.storage}/entities/${found.results[0].canonical_id}`)
    expect(entity.status).toBe(200)
    for (const name of INHERITED) {
      expect(entity.body.identifiers[name]).toEqual([`a ${name}`])
      expect(entity.body.properties[name]).toBe(`a ${name}`)
    }
  })

  it('questions are answered from records, relations and rows with such names', async () => {
    const search = (more: object): Promise<Answer> =>
      call('POST', `${sandbox.query}/search`, { query: 'What does Priya Raman have to do with the Quay?', ...more })
    for (const more of [
      {},
      { query: 'How many issues are there?', preset: 'sql' },
      { query: 'What is the harbour?' },
    ]) {
      const { status, body } = await search({ ...more, explain: true })
      expect(status).toBe(200)
      expect(JSON.stringify(body)).not.toMatch(/native code/)
    }
    const counted = await search({ query: 'How many issues are there?', preset: 'sql' })
    expect(counted.body.rows).toEqual([[2]])
  })
})
