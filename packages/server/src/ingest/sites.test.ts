import type { Entity } from '@cairnstore/engine/resolve'
import { describe, expect, it } from 'vitest'
import { incoming, openSandbox } from '../../../../tests/harness/sandbox-in-memory.ts'

const CLOUD = 'gitlab.com'
const OWN = 'git.acme.example'

type Identifiers = Record<string, string>

let count = 0
/** Returns a note whose author is given with or without the site of the identifiers. */
const by = (name: string, identifiers: Identifiers, more: object = {}) => {
  count += 1
  const content = { external_id: `note/${count}`, text: 'Seen.', author: { name, identifiers } }
  return incoming(content, { provider: 'gitlab', sourceId: 'src_code', ...more })
}
const about = (thing: object, provider: string, id = `about/${++count}`) =>
  incoming({ external_id: id, text: 'Seen.', entities: [thing as { name: string }] }, { provider, sourceId: provider })

const namesOf = (entities: Entity[]) => entities.map(({ names }) => names.map(({ text }) => text)).sort()

describe('equal numbers on two sites of one product', () => {
  it.each([
    ['people of one number', 'person', { id: '42' }],
    ['people of one login', 'person', { login: 'ana' }],
    ['projects of one number', 'project', { id: '7' }],
    ['issues of one key', 'issue', { key: 'ENG-12' }],
  ])('%s are separate and stay separate', async (_, type, identifiers) => {
    const sandbox = openSandbox()
    const personAt = (name: string, site: string) =>
      about({ type, name, identifiers: { ...identifiers, site } }, 'gitlab')
    for (let times = 0; times < 2; times += 1) {
      await sandbox.apply(personAt('Ana', CLOUD))
      await sandbox.apply(personAt('Bo', OWN))
    }
    expect(namesOf(sandbox.entities())).toEqual([['Ana'], ['Bo']])
  })

  it('an equal name does not merge two people, but an email address does', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(by('Ana Sol', { id: '42', site: CLOUD }), by('Ana Sol', { id: '42', site: OWN }))
    expect(sandbox.entities()).toHaveLength(2)
    const email = 'ana@acme.example'
    await sandbox.apply(by('Ana Sol', { id: '42', site: CLOUD, email }), by('Ana', { id: '42', site: OWN, email }))
    expect(sandbox.entities()).toHaveLength(1)
  })

  it('a globally unique id is the same on both sites', async () => {
    const sandbox = openSandbox()
    const id = '8c5ef3c6-2e6f-4d3b-9a3a-0d5ad4a2a111'
    await sandbox.apply(by('Ana', { id, site: CLOUD }), by('A. Sol', { id }), by('Ana S', { id, site: OWN }))
    expect(sandbox.entities()).toHaveLength(1)
  })

  it('deletes the data of one site with its records, and keeps the other’s', async () => {
    const sandbox = openSandbox()
    const issue = (site: string, provider: string, id: string) =>
      about(
        { type: 'issue', name: 'ENG-12', identifiers: { key: 'ENG-12', url: `https://${site}/ENG-12`, site } },
        provider,
        id,
      )
    await sandbox.apply(issue('one.example', 'linear', 'a'), issue('other.example', 'linear', 'b'))
    expect(sandbox.entities()).toHaveLength(2)
    const gone = { ...issue('one.example', 'linear', 'a'), deleted: true }
    await sandbox.apply(gone)
    expect(sandbox.entities().map(({ identifiers }) => identifiers)).toEqual([
      ['key@other.example:eng-12', 'url:other.example/eng-12'],
    ])
  })
})

describe('identifiers without a site', () => {
  it.each([
    ['a person with a number', 'Ana Sol', { id: '42' }],
    ['a person with a login', 'ana', { login: 'ana' }],
    ['a person with only a number', '42', { id: '42' }],
    ['an account that is not a number', 'U123', { id: 'U123' }],
  ])('%s stays the same entity once the site is known', async (_, name, identifiers) => {
    const sandbox = openSandbox()
    await sandbox.apply(by(name, identifiers))
    const [before] = sandbox.entities()
    const fullName = name === '42' ? 'Ana Sol' : name
    await sandbox.apply(by(fullName, { ...identifiers, site: OWN }), by(fullName, { ...identifiers, site: OWN }))
    await sandbox.apply(by(name, identifiers))
    expect(sandbox.entities().map(({ id }) => id)).toEqual([before?.id])
  })

  it('a message with only the account belongs to the person who was known before', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(by('Ana Sol', { id: 'U123' }))
    await sandbox.apply(by('U123', { id: 'U123', site: 'T1' }))
    expect(sandbox.entities()).toHaveLength(1)
  })

  it('another name with the same number is another person', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(by('Ana Sol', { id: '42' }))
    await sandbox.apply(by('Bo Hale', { id: '42', site: OWN }))
    expect(sandbox.entities()).toHaveLength(2)
  })

  it('a person whose page is on another host is another person', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(by('ana', { login: 'ana', url: 'https://gitlab.com/ana' }))
    await sandbox.apply(by('ana', { login: 'ana', site: OWN }))
    expect(sandbox.entities()).toHaveLength(2)
  })

  it('the first number without a name becomes the person without other identifiers, and then the next', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(by('42', { id: '42', site: OWN }))
    await sandbox.apply(by('Ana Sol', { id: '42' }))
    await sandbox.apply(by('Ana Sol', { id: '42', site: OWN }))
    expect(sandbox.entities()).toHaveLength(1)
  })

  it('a key in another tool is the issue of the only site that has it, and is unmatched if several do', async () => {
    const sandbox = openSandbox()
    const key = { key: 'ENG-12' }
    const issue = (title: string, site: string) =>
      about({ type: 'issue', name: 'ENG-12', aliases: [title], identifiers: { ...key, site } }, 'linear')
    const branch = () => about({ type: 'issue', name: 'ENG-12', identifiers: key }, 'github')
    await sandbox.apply(branch())
    await sandbox.apply(issue('Sail', 'linear.app/one'))
    await sandbox.apply(branch())
    expect(sandbox.entities()).toHaveLength(1)
    await sandbox.apply(issue('Row', 'linear.app/other'))
    await sandbox.apply(branch())
    expect(namesOf(sandbox.entities())).toEqual([
      ['ENG-12', 'Row'],
      ['ENG-12', 'Sail'],
    ])
  })
})

describe('records of two sites in one source', () => {
  const noteAt = (site: string | undefined, text: string, more: object = {}) => {
    const content = { external_id: 'note/1', text, ...(site && { site }), properties: { thread: 'issue/1' } }
    return incoming(content, { provider: 'jira', sourceId: 'src_tracker', ...more })
  }
  const stored = (sandbox: ReturnType<typeof openSandbox>) =>
    [...sandbox.records.values()].map(({ content }) => {
      const { external_id: id, text, properties } = JSON.parse(Buffer.from(content).toString('utf8'))
      return [id, text, properties.thread]
    })

  it('are separate under the same external id, and each site replaces and deletes its own', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(noteAt('a.example', 'One'), noteAt('b.example', 'Two'))
    expect(stored(sandbox)).toEqual([
      ['note/1', 'One', 'issue/1'],
      ['note/1@b.example', 'Two', 'issue/1@b.example'],
    ])
    await sandbox.apply(noteAt('b.example', 'Two again'))
    await sandbox.apply(noteAt('a.example', 'One again'))
    expect(stored(sandbox).map(([, text]) => text)).toEqual(['One again', 'Two again'])
    await sandbox.apply(noteAt('a.example', '', { deleted: true }))
    await sandbox.apply(noteAt('b.example', 'Two at last'))
    expect(stored(sandbox)).toEqual([['note/1@b.example', 'Two at last', 'issue/1@b.example']])
    await sandbox.apply(noteAt('b.example', '', { deleted: true }))
    expect(stored(sandbox)).toEqual([])
  })

  it('a record that was stored without its site is replaced by its next version', async () => {
    const sandbox = openSandbox()
    await sandbox.apply(noteAt(undefined, 'Before'))
    await sandbox.apply(noteAt('a.example', 'After'))
    expect(stored(sandbox)).toEqual([['note/1', 'After', 'issue/1']])
  })
})
