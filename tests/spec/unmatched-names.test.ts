import { beforeAll, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

const jorun = { name: 'Jorun Vestby', aliases: ['Joffa'], identifiers: { email: 'jorun@example.com' } }
const RECORDS = [
  { external_id: 'a', type: 'note', text: 'The weir was opened by one turn.', author: jorun },
  { external_id: 'b', type: 'note', text: 'The eel ladder is dry.', participants: ['Tamsin Okoye'] },
  { external_id: 'c', type: 'note', text: 'The flood will sever the road to the mill.' },
  { external_id: 'd', type: 'note', text: 'Cafe\u0301 Noisette closes at 7.' },
  { external_id: 'e', type: 'note', text: 'Austin called from the weir.' },
  { external_id: 'f', type: 'note', text: 'The depot in Austin has the spare gates.' },
  { external_id: 'g', type: 'note', text: 'Сергей починил насос.' },
  { external_id: 'h', type: 'note', text: 'زار محمود الميناء.' },
]

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  const search = async (query: string) => (await call('POST', `${sandbox.query}/search`, { query })).body
  const entities = async (name: string) =>
    (await call('GET', `${sandbox.storage}/entities/search?q=${encodeURIComponent(name)}`)).body.results

  beforeAll(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    const project = (await call('POST', `${sandbox.storage}/projects`, { name: 'Other' })).body.project_id
    const hidden = { external_id: 'z', type: 'note', text: 'Secret.', author: 'Zdenka Hruba', project_id: project }
    await putRecords(call, sandbox, [...RECORDS, hidden])
  })

  it.each(['Jorun Vestby', 'Vestby', 'Joffa', 'Tamsin Okoye', 'Jorun Vetsby', 'Zdenka Hruba'])(
    'an author, a participant or an alias is never reported as unmentioned: %s',
    async (name) => {
      for (const query of [`What did ${name} write?`, `Show me the notes of ${name}`])
        expect((await search(query)).answer).not.toContain('No record mentions')
    },
  )

  it('an answer reports a name that occurs nowhere in scope', async () => {
    expect((await search('What did Pernille Skov write?')).answer).toBe('No record mentions Pernille Skov.')
    const { projects } = (await call('GET', `${sandbox.storage}/projects`)).body
    const [empty] = [(await call('POST', `${sandbox.storage}/projects`, { name: 'Empty' })).body.project_id]
    const inside = projects.find(({ name }: { name: string }) => name === 'Other').project_id
    const answerIn = async (project_id: string, query: string) =>
      (await call('POST', `${sandbox.query}/search`, { query, project_id })).body.answer
    expect(await answerIn(inside, 'What did Zdenka Hruba write?')).not.toContain('No record mentions')
    expect(await answerIn(inside, 'What did Jorun Vestby write?')).toBe('No record mentions Jorun Vestby.')
    expect(await answerIn(empty, 'What did Zdenka Hruba write?')).not.toContain('Secret')
  })

  it('a correctly spelled word is never corrected, and a correction is reported if a result has it', async () => {
    expect((await search('Is the server down?')).warnings.join()).not.toContain('is read as')
    expect((await search('Is the laddre dry?')).warnings.join()).toContain('“laddre” is read as “ladder”')
  })

  it('a question finds text in another Unicode normalization form', async () => {
    const { answered, answer } = await search('When does Caf\u00e9 Noisette close?')
    expect([answered, answer]).toEqual([true, expect.stringContaining('at 7')])
  })

  it('names in Cyrillic and Arabic become entities, and a place differs from a person of the same name', async () => {
    for (const name of ['Сергей', 'محمود']) expect(await entities(name), name).toHaveLength(1)
    const types = (await entities('Austin')).map(({ record_type: type }: { record_type: string }) => type)
    expect(types.sort()).toEqual(['person', 'place'])
  })
})
