import { expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'

interface ShownEntity {
  canonical_id: string
  name: string
}

const mail = (id: string, name: string, email: string) => ({
  external_id: id,
  type: 'message',
  text: `The report of ${id}.`,
  author: { name, identifiers: { email } },
})

onEachApp((app) => {
  const put = async (call: Call, sandbox: TestSandbox, records: object[]) => {
    expect((await call('POST', sandbox.records, { records }, { prefer: 'wait=30' })).status).toBe(200)
  }
  const people = async (call: Call, sandbox: TestSandbox): Promise<ShownEntity[]> =>
    (await call('GET', `${sandbox.storage}/entities?type=person`)).body.entities
  const counted = (call: Call, sandbox: TestSandbox, count: number) =>
    expect.poll(async () => (await people(call, sandbox)).length).toBe(count)

  it('merges a rare name across addresses with a reason, which a person undoes permanently', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await put(call, sandbox, [
      mail('m1', 'Tuuli Quiroga', 'tuuli@corvid.io'),
      mail('m2', 'Tuuli Quiroga', 't.quiroga@gmail.com'),
      mail('m3', 'John Smith', 'john@corvid.io'),
      mail('m4', 'John Smith', 'js@oxbow.io'),
    ])
    await counted(call, sandbox, 3)
    const [tuuli] = (await people(call, sandbox)).filter(({ name }) => name === 'Tuuli Quiroga')
    const entity = `${sandbox.storage}/entities/${tuuli?.canonical_id}`
    const { body } = await call('GET', entity)
    expect(body.record_count).toBe(2)
    expect(body.merge_history).toMatchObject([{ kind: 'alike', evidence: { agree: expect.arrayContaining(['name']) } }])
    const undone = await call('POST', `${entity}/merges/${body.merge_history[0].merge_id}/undo`)
    expect(undone.status).toBe(200)
    await put(call, sandbox, [mail('m5', 'Alma Nkosi', 'alma@corvid.io')])
    const resolution = async () => (await call('GET', `${sandbox.storage}/entities`)).body.resolution
    await expect.poll(resolution).toBe('settled')
    await counted(call, sandbox, 5)
  })

  it('merges a person known only by name with a later declared one of that name', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await put(call, sandbox, [
      { external_id: 'n1', type: 'note', text: 'An offer.', entities: [{ type: 'person', name: 'Tuuli Quiroga' }] },
    ])
    await put(call, sandbox, [mail('m0', 'tq', 'tuulikki@corvid.io')])
    const tuuli = { type: 'person', name: 'Tuulikki Quiroga', aliases: ['Tuuli Quiroga'] }
    const identified = { ...tuuli, identifiers: { email: 'tuulikki@corvid.io' } }
    await put(call, sandbox, [{ external_id: 'n2', type: 'note', text: 'Joined.', entities: [identified] }])
    const mergesOf = async (name: string) => {
      const shown = (await people(call, sandbox)).filter((each) => each.name === name)
      const bodies = await Promise.all(
        shown.map(({ canonical_id: id }) => call('GET', `${sandbox.storage}/entities/${id}`)),
      )
      return bodies.map(({ body }) => body.merge_history.length)
    }
    await expect.poll(() => mergesOf('Tuulikki Quiroga')).toEqual([1])
    await put(call, sandbox, [
      { external_id: 'n3', type: 'note', text: 'An offer.', entities: [{ type: 'person', name: 'John Smith' }] },
      mail('m1', 'John Smith', 'john@corvid.io'),
      mail('m2', 'John Smith', 'js@oxbow.io'),
    ])
    const resolution = async () => (await call('GET', `${sandbox.storage}/entities`)).body.resolution
    await expect.poll(resolution).toBe('settled')
    expect(await mergesOf('John Smith')).toEqual([0, 0])
  })

  it('merges nobody because of a shared or generic address', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    await put(call, sandbox, [
      mail('m1', 'Tuuli Quiroga', 'devnull@localhost'),
      mail('m2', 'Alma Nkosi', 'devnull@localhost'),
      mail('m3', 'Sven Orlova', 'team-data@corvid.io'),
      mail('m4', 'Bram Lund', 'team-data@corvid.io'),
    ])
    const found = await people(call, sandbox)
    expect(found.map(({ name }) => name).sort()).toEqual(['Alma Nkosi', 'Bram Lund', 'Sven Orlova', 'Tuuli Quiroga'])
    const [sven] = found.filter(({ name }) => name === 'Sven Orlova')
    const { body } = await call('GET', `${sandbox.storage}/entities/${sven?.canonical_id}`)
    expect(body.identifiers).toEqual({ email: ['team-data@corvid.io'] })
  })

  it('uses an e-mail address next to a name as identifier, in records and texts', async () => {
    const { call } = await app().newAccount()
    const sandbox = await newSandbox(call)
    const [mine, work] = ['alma@nkosi.example', 'a.nkosi@corvid.io']
    const alma = { name: 'Alma Nkosi', email: mine }
    const note = {
      text: 'The report of m2.',
      author: { ...alma, name: 'A. N.' },
      speaker: 'unheard',
      external_id: 'm2',
    }
    await put(call, sandbox, [{ ...mail('m1', 'Alma Nkosi', work), author: { ...alma, identifiers: { email: work } } }])
    expect((await call('POST', `${sandbox.storage}/ingest`, note, { prefer: 'wait=30' })).status).toBe(200)
    const [shown, ...others] = await people(call, sandbox)
    expect(others).toEqual([])
    const { body } = await call('GET', `${sandbox.storage}/entities/${shown?.canonical_id}`)
    expect(body.identifiers.email.sort()).toEqual([work, mine])
    const lines: string = (await call('GET', `${sandbox.storage}/export`)).body
    const authors = lines.split('\n').flatMap((line) => (line.includes('"author"') ? [JSON.parse(line)] : []))
    expect(JSON.stringify(authors)).not.toContain('"author":{"name":"Alma Nkosi","email"')
    expect(JSON.stringify(authors)).toContain(`"identifiers":{"email":["${mine}","${work}"]}`)
    const wrong = { ...note, author: { name: 'Alma Nkosi', email: 7 } }
    const { status, body: fault } = await call('POST', `${sandbox.storage}/ingest`, wrong)
    expect([status, fault.errors[0].loc]).toEqual([422, ['body', 'author', 'email']])
  })
})
