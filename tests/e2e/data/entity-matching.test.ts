import { beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'

type Reference = { name: string; type?: string; identifiers?: Record<string, string | string[]> }

const EMAIL = { email: 'r.hale@example.com' }
const CYRILLIC_A = '\u0430'

onEachApp((app) => {
  let call: Call
  let sandbox: TestSandbox
  let other: TestSandbox

  beforeEach(async () => {
    call = (await app().newAccount()).call
    sandbox = await newSandbox(call)
    const { body } = await call('POST', `${sandbox.storage}/sources`, { provider: 'github', name: 'Code' })
    other = { ...sandbox, records: `${sandbox.storage}/sources/${body.data_source_id}/records` }
  })

  const listed = async (type: string): Promise<Answer['body'][]> =>
    (await call('GET', `${sandbox.storage}/entities?type=${type}`)).body.entities
  const entity = async (id: string): Promise<Answer['body']> =>
    (await call('GET', `${sandbox.storage}/entities/${id}`)).body
  const note = (id: string, things: object) => ({ external_id: id, type: 'note', text: `Note ${id}.`, ...things })

  /** Returns the number of entities for two references, one from a chat and one from a code host. */
  const countOf = async (one: Reference, another: Reference, as: 'author' | 'entities' = 'author') => {
    const said = (thing: Reference) => (as === 'author' ? { author: thing } : { entities: [thing] })
    await putRecords(call, sandbox, [note('1', said(one))])
    await putRecords(call, other, [note('2', said(another))])
    return (await listed(one.type ?? 'person')).length
  }

  describe('two references to people in two tools', () => {
    it.each<[string, Reference, Reference]>([
      [
        'have one address in another case',
        { name: 'Bo Hale', identifiers: EMAIL },
        { name: 'R', identifiers: { email: ' R.Hale@Example.COM' } },
      ],
      [
        'are a nickname and a name with one address',
        { name: 'Bob Hale', identifiers: EMAIL },
        { name: 'Robert Hale', identifiers: EMAIL },
      ],
      [
        'write one address as a link',
        { name: 'Bo Hale', identifiers: EMAIL },
        { name: 'rh', identifiers: { email: 'mailto:r.hale@example.com' } },
      ],
      [
        'have a name in two scripts and one address',
        { name: 'Юлия Орлова', identifiers: EMAIL },
        { name: 'Yulia Orlova', identifiers: EMAIL },
      ],
      [
        'have one full name, and nothing contradicts',
        { name: 'Robert Hale', identifiers: EMAIL },
        { name: 'ROBERT  HALE' },
      ],
      ['have one full name in wide letters', { name: 'Robert Hale' }, { name: 'Ｒｏｂｅｒｔ Ｈａｌｅ' }],
      ['have one name that is accented in two ways', { name: 'Zoe\u0308 Hale' }, { name: 'Zo\u00eb Hale' }],
      [
        'have one address, once with what copying brought along',
        { name: 'Bo Hale', identifiers: EMAIL },
        { name: 'R', identifiers: { email: 'r.hale@example.com\u200b' } },
      ],
    ])('are one when they %s', async (_, one, another) => {
      expect(await countOf(one, another)).toBe(1)
    })

    it.each<[string, Reference, Reference]>([
      [
        'have one full name and two addresses',
        { name: 'Robert Hale', identifiers: EMAIL },
        { name: 'Robert Hale', identifiers: { email: 'hale@other.example' } },
      ],
      [
        'have one handle in two products',
        { name: 'rhale', identifiers: { login: 'rhale' } },
        { name: 'rhale', identifiers: { login: 'rhale' } },
      ],
      ['have one first name', { name: 'Robert' }, { name: 'Robert' }],
      ['are a nickname and a name, and nothing else', { name: 'Bob Hale' }, { name: 'Robert Hale' }],
      ['are an initial and a name', { name: 'R. Hale' }, { name: 'Robert Hale' }],
      ['are a name in two scripts, and nothing else', { name: 'Юлия Орлова' }, { name: 'Yulia Orlova' }],
      ['have names that only look the same', { name: 'Robert Hale' }, { name: `Robert H${CYRILLIC_A}le` }],
      [
        'have addresses that only look the same',
        { name: 'Bo', identifiers: EMAIL },
        { name: 'Ro', identifiers: { email: `r.h${CYRILLIC_A}le@example.com` } },
      ],
      [
        'have addresses in which nobody sees anything',
        { name: 'Bo Hale', identifiers: { email: '\u200b' } },
        { name: 'Ro Hale', identifiers: { email: '\u200b' } },
      ],
    ])('are two when they %s', async (_, one, another) => {
      expect(await countOf(one, another)).toBe(2)
    })
  })

  describe('two references to other things', () => {
    const firm = (name: string): Reference => ({ type: 'company', name })
    it('are one company in another case, and two with different legal forms', async () => {
      await putRecords(call, sandbox, [note('1', { entities: ['Acme GmbH', 'ACME GMBH', 'Acme Inc.'].map(firm) })])
      const names = (await listed('organisation')).map(({ name }) => name).sort()
      expect(names).toEqual(['Acme GmbH', 'Acme Inc.'])
    })

    it('are two if one is a project and one a repository of its name', async () => {
      await countOf({ type: 'project', name: 'Atlas' }, { type: 'repository', name: 'Atlas' }, 'entities')
      expect([await listed('project'), await listed('repository')].map(({ length }) => length)).toEqual([1, 1])
    })

    it('are two repositories of one name with different owners', async () => {
      const api = (owner: string): Reference => ({
        type: 'repository',
        name: 'api',
        identifiers: { url: `https://code.example/${owner}/api` },
      })
      expect(await countOf(api('acme'), api('zeta'), 'entities')).toBe(2)
    })
  })

  it('shows the records of every name, and the reason of a merge', async () => {
    const [mail, login] = [EMAIL, { login: 'rhale' }]
    await putRecords(call, sandbox, [note('1', { author: { name: 'Robert Hale', identifiers: mail } })])
    await putRecords(call, sandbox, [note('2', { author: { name: 'rhale', identifiers: login } })])
    await putRecords(call, sandbox, [note('3', { author: { name: 'Bob', identifiers: { ...mail, ...login } } })])
    const [one, ...more] = await listed('person')
    expect(more).toEqual([])
    const { evidence, merge_history: history } = await entity(one.canonical_id)
    const recordsOf = async (kind: string, value: string) => {
      const said = evidence.find((each: Answer['body']) => each.kind === kind && each.value === value)
      const ids: string[] = said?.record_ids ?? []
      const records = await Promise.all(ids.map((id) => call('GET', `${sandbox.storage}/records/${id}`)))
      return records.map(({ body }) => body.external_id).sort()
    }
    expect(await recordsOf('name', 'Robert Hale')).toEqual(['1'])
    expect(await recordsOf('name', 'rhale')).toEqual(['2'])
    expect(await recordsOf('identifier', 'r.hale@example.com')).toEqual(['1', '3'])
    expect(await recordsOf('identifier', 'rhale')).toEqual(['2', '3'])
    expect(history).toMatchObject([{ kind: 'identifier', undone_at: null, decided_by: null }])
    expect(history[0].reason).toMatch(/^same .*(?:r\.hale@example\.com|rhale)/)
  })
})
