import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSql, type Sql } from '../../../packages/server/src/db/open.ts'
import { compactSandbox } from '../../../packages/server/src/ingest/compaction-lane.ts'
import { assertNowhere as assertNowhereIn, locationsOf } from '../../harness/at-rest.ts'
import { type GithubServer, issueOf, openGithubServer } from '../../harness/github-server.ts'
import { keyForgotten, withKey } from '../../harness/keyed.ts'
import { newDatabase, RUN_ON, type TestDatabase } from '../../harness/postgres.ts'
import { type Call, newSandbox, openTestApp, type TestAccount, type TestApp } from '../../harness/test-app.ts'
import { questions, REFERENCE_DATE } from '../../questions/all.ts'

const RUN_MS_MAX = 120_000
const WAIT = { prefer: 'wait=60' }
const NDJSON = { ...WAIT, 'content-type': 'application/x-ndjson' }
const WORKSPACE = join(dirname(fileURLToPath(import.meta.url)), '../../../examples/workspace')
const SOON = { interval: 100 }

describe.each(RUN_ON)('with a customer-managed key, on %s', (kind) => {
  let database: TestDatabase
  let sql: Sql
  let folder: string
  let app: TestApp
  let account: TestAccount
  let host: GithubServer

  const open = () => openTestApp(sql, kind, { CAIRN_DATA: folder, CAIRN_ALLOW_LOOPBACK: 'on' })
  beforeAll(async () => {
    database = await newDatabase(kind)
    sql = await openSql(database.target)
    folder = mkdtempSync(join(tmpdir(), 'cairn-keyed-'))
    app = await open()
    account = await app.newAccount()
    host = await openGithubServer()
  })
  afterAll(async () => {
    await app?.cairn.close()
    await sql?.close()
    database?.remove()
    await host?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const rest = () => ({ app, folder, database, userId: account.userId })
  const assertNowhere = (words: string[]) => assertNowhereIn(rest(), words)

  it(
    'content from any endpoint is stored only encrypted, and can be read with the key',
    async () => {
      const { call } = account
      const plain = await newSandbox(call, 'Open')
      await call('POST', plain.records, { records: [{ external_id: 'o', type: 't', text: 'zqkopenzq' }] }, WAIT)
      expect(await locationsOf(rest(), 'zqkopenzq')).not.toEqual([])

      const key = randomBytes(32)
      const keyed = withKey(call, key)
      const word = (place: string) => `zqk${place}zq`
      const sandbox = await newSandbox(call, 'Keyed')
      const person = (name: string, identifiers: object) => ({ name: `Ann ${word(name)}`, identifiers })
      const records = [
        {
          external_id: word('externalid'),
          type: word('type'),
          title: `About ${word('title')}`,
          text: `The ${word('text')} came in, and ${word('Mention')} saw it.`,
          url: `https://example.org/${word('url')}`,
          author: person('author', { login: word('login') }),
          participants: [person('participant', { email: `${word('email')}@example.org` })],
          entities: [{ type: word('entitytype'), name: word('entity'), aliases: [word('alias')] }],
          relations: [{ subject: word('entity'), predicate: word('predicate'), object: word('object') }],
          properties: { [word('field')]: word('value') },
        },
        { external_id: word('failed'), type: 7 },
      ]
      const first = await keyed('POST', sandbox.records, { records }, { ...WAIT, 'idempotency-key': 'k1' })
      expect(first.body).toMatchObject({ status: 'completed', result: { written: 1, failed: 1 } })
      const line = { external_id: 'n1', type: 'note', text: word('ndjson'), author: person('author', {}) }
      // Gives evidence that two people are the same, which stores a merge.
      const merging = {
        ...line,
        external_id: 'n2',
        author: person('author', { login: word('login'), email: `${word('email')}@example.org` }),
      }
      await keyed('POST', sandbox.records, `${JSON.stringify(line)}\n${JSON.stringify(merging)}`, NDJSON)
      const note = { text: word('ingest'), speaker: word('speaker'), source_type: word('sourcetype') }
      await keyed('POST', `${sandbox.storage}/ingest`, note, WAIT)
      const memories = { results: [{ id: '1', memory: word('imported'), user_id: word('user') }] }
      await keyed('POST', `${sandbox.storage}/import`, memories, WAIT)
      const { body: hook } = await call('POST', `${sandbox.storage}/sources`, {
        provider: 'json',
        name: 'Hook',
        ingestion_mode: 'realtime',
      })
      const issues = [issueOf('acme/keyed', 1, app.clock.now(), { title: `Late ${word('pulled')}` })]
      host.repositories.set('acme/keyed', { issues, comments: [], commits: [] })
      const { body: code } = await call('POST', `${sandbox.storage}/sources`, {
        provider: 'github',
        name: 'Code',
        adapter_config: { base_url: host.url, repositories: ['acme/keyed'] },
      })
      const waiting = async () => {
        const { body } = await call('GET', `${sandbox.storage}/sources/${code.data_source_id}/runs`)
        return body.runs[0]
      }
      await keyForgotten(app, sandbox.id)
      await call('POST', `${sandbox.storage}/sources/${code.data_source_id}/pull`, {})
      const sent = await app.anonymous(
        'POST',
        new URL(hook.webhook_url).pathname,
        { id: 'w', text: word('hook') },
        {
          authorization: `Bearer ${hook.webhook_signing_secret}`,
        },
      )
      expect(sent.status).toBe(204)
      await expect.poll(waiting, SOON).toMatchObject({ counts: { received: 1 }, error: expect.stringContaining('key') })

      const words = [
        ...['externalid', 'type', 'title', 'text', 'mention', 'url', 'author', 'login', 'participant', 'email'],
        ...['entitytype', 'entity', 'alias', 'predicate', 'object', 'field', 'value', 'failed', 'ndjson', 'ingest'],
        ...['speaker', 'sourcetype', 'pulled', 'hook', 'asked', 'imported', 'user'],
      ].map(word)
      await assertNowhere(words)

      await keyed('POST', `${sandbox.query}/discover`, { query: `What of ${word('asked')}?` })
      await expect.poll(waiting, SOON).toMatchObject({ status: 'completed', error: null })
      const place = { userId: account.userId, sandboxId: sandbox.id }
      await compactSandbox(app.cairn.app, app.cairn.app.applier, place, { idle: 'lasting', isPruneForced: true })
      await assertNowhere(words)

      await app.cairn.close()
      app = await open()
      const again = withKey(callAgain(app, account), key)
      const asked = { query: `What of the ${word('text')} and ${word('hook')}?` }
      const found = await again('POST', `${sandbox.query}/search`, asked)
      expect(found.body.answer.toLowerCase()).toContain(word('text'))
      const exported = String((await again('GET', `${sandbox.storage}/export`)).body).toLowerCase()
      for (const text of words.filter((each) => ![word('failed'), word('asked')].includes(each)))
        expect(exported).toContain(text)
      await assertNowhere(words)
    },
    RUN_MS_MAX,
  )

  it(
    'ranks, names and tells as a sandbox without a key does',
    async () => {
      const call = callAgain(app, account)
      const key = withKey(call, randomBytes(32))
      const plain = await fill(call, 'Plain')
      const sealed = await fill(key, 'Sealed')
      const all = questions.slice(0, 60).map(({ wordings: [wording] }) => wording as string)
      const asked = [
        ...all,
        'What caused the duplicate invoices in June?',
        'Who owns the follow-ups?',
        'Harbour',
        'the',
      ]
      for (const query of asked) {
        const body = { query, reference_date: REFERENCE_DATE, limit: 50 }
        const [one, other] = [
          await call('POST', `${plain.query}/discover`, body),
          await key('POST', `${sealed.query}/discover`, body),
        ]
        const ranked = ({ body: { items } }: typeof one) =>
          items.map((item: { external_id: string; score: number; summary: string; canonical_ids: string[] }) => [
            item.external_id,
            item.score,
            item.summary,
            item.canonical_ids.length,
          ])
        expect(ranked(other), query).toEqual(ranked(one))
        const answerTo = async (as: Call, { query: path }: typeof plain) => {
          const { body } = await as('POST', `${path}/search`, { query, reference_date: REFERENCE_DATE })
          const names = body.citations.map(({ name, relevance }: { name: string; relevance: number }) => [
            name,
            relevance,
          ])
          return [body.answer, names, body.preset]
        }
        expect(await answerTo(key, sealed), query).toEqual(await answerTo(call, plain))
      }
    },
    RUN_MS_MAX,
  )

  /** Ingests the example workspace into a new sandbox and waits for record linkage. */
  async function fill(call: Call, name: string) {
    const sandbox = await newSandbox(call, name)
    const workspace = JSON.parse(readFileSync(join(WORKSPACE, 'workspace.json'), 'utf8')) as {
      sources: { provider: string; name: string; file: string }[]
    }
    for (const { file, provider, name: source } of workspace.sources) {
      const { body } = await call('POST', `${sandbox.storage}/sources`, { provider, name: source })
      const path = `${sandbox.storage}/sources/${body.data_source_id}/records`
      const { body: job } = await call('POST', path, readFileSync(join(WORKSPACE, file)), NDJSON)
      expect(job).toMatchObject({ status: 'completed', result: { failed: 0 } })
    }
    const settled = async () => (await call('GET', `${sandbox.storage}/entities?limit=1`)).body.resolution
    await expect.poll(settled, SOON).toBe('settled')
    return sandbox
  }
})

/** Returns a `call` of the account for a reopened app. */
function callAgain(app: TestApp, { key }: TestAccount): Call {
  return (method, path, body, headers) =>
    app.anonymous(method, path, body, { authorization: `Bearer ${key}`, ...headers })
}
