import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { create } from 'tar'
import { describe, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../../harness/test-app.ts'
import { type ZipPart, zipOf } from '../../harness/zip.ts'

const WAIT = { prefer: 'wait=30' }
const NDJSON = { 'content-type': 'application/x-ndjson', ...WAIT }
const ZIP = { 'content-type': 'application/zip', ...WAIT }
const FILE = { 'content-type': 'application/octet-stream', ...WAIT }

/** A line of an export. */
type Line = Record<string, unknown> & { kind: string; external_id?: string }

async function exported(call: Call, { storage }: TestSandbox): Promise<Line[]> {
  const { body } = await call('GET', `${storage}/export`)
  return String(body)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Returns records and entities as sorted JSON, without ids and times that each sandbox assigns. */
function comparable(lines: Line[]) {
  const own = ['record_id', 'sandbox_id', 'source_id', 'canonical_ids', 'canonical_id', 'created_at', 'updated_at']
  const said = lines.filter(({ kind }) => kind === 'record' || kind === 'entity')
  return said.map((line) => JSON.stringify(line, (key, value) => (own.includes(key) ? undefined : value))).sort()
}

async function found(call: Call, sandbox: TestSandbox, query: string) {
  const { body } = await call('POST', `${sandbox.query}/discover`, { query, limit: 20 })
  return body.items.map((item: { external_id: string }) => item.external_id) as string[]
}

function tarOf(files: Record<string, string>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-import-test-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  create({ cwd: folder, file: join(folder, 'all.tar'), sync: true }, Object.keys(files))
  const tar = readFileSync(join(folder, 'all.tar'))
  rmSync(folder, { recursive: true })
  return tar
}

const VAULT = {
  'vault/index.md':
    '---\ntitle: Ferry handbook\ntags: [ferries, harbour]\nauthor: Ana Lima\n---\n# Start\nSee [[Night service]].',
  'vault/notes/Night service.md':
    '# Night service\n\nThe last ferry leaves Skagen at 23:40. Back to [the start](../index.md).',
  'vault/image.png': '\x89PNG\r\n\x1a\n\0\0\0\r',
}

onEachApp((app) => {
  const setUp = async () => {
    const { call } = await app().newAccount()
    return { call, sandbox: await newSandbox(call) }
  }
  const importTo = (
    call: Call,
    sandbox: TestSandbox,
    body: unknown,
    headers: Record<string, string> = WAIT,
    query = '',
  ) => call('POST', `${sandbox.storage}/import${query}`, body, headers)

  describe('our own export', () => {
    it('imported into an empty sandbox gives the same records, entities, projects and answers', async () => {
      const { call, sandbox } = await setUp()
      const { body: chat } = await call('POST', `${sandbox.storage}/sources`, { provider: 'slack', name: 'Chat' })
      const { body: project } = await call('POST', `${sandbox.storage}/projects`, {
        name: 'Night ferry',
        data_source_ids: [chat.data_source_id],
      })
      const people = { name: 'Ana Lima', identifiers: { login: 'ana', email: 'ana@harbour.example' } }
      await putRecords(call, sandbox, [
        {
          external_id: 'same',
          type: 'issue',
          title: 'Late ferry',
          text: 'The ferry to Skagen is late.',
          author: people,
        },
        {
          external_id: 'b',
          type: 'document',
          title: 'Timetable',
          text: 'Leaves at 9.',
          project_id: project.project_id,
        },
      ])
      const inChat = { ...sandbox, records: `${sandbox.storage}/sources/${chat.data_source_id}/records` }
      await putRecords(call, inChat, [{ external_id: 'same', type: 'message', text: 'Skagen again.', author: people }])
      const kept = { text: 'Only to be kept: lighthouse.', storage_only: true }
      await call('POST', `${sandbox.storage}/ingest`, kept, WAIT)
      const before = await exported(call, sandbox)
      const ndjson = before.map((line) => JSON.stringify(line)).join('\n')

      const empty = await newSandbox(call, 'Empty')
      const first = await importTo(call, empty, ndjson, NDJSON)
      expect(first.body).toMatchObject({ status: 'completed', job_type: 'import' })
      expect(first.body.result).toMatchObject({ received: 4, written: 4, failed: 0 })
      const after = await exported(call, empty)
      const projects = new Map(
        after.filter(({ kind }) => kind === 'project').map((line) => [line.project_id, line.name]),
      )
      const named = comparable(after).map((line) =>
        line.replaceAll([...projects.keys()][0] as string, project.project_id),
      )
      expect(named).toEqual(comparable(before))
      for (const question of ['Who wrote about the late ferry to Skagen?', 'When does it leave?', 'lighthouse'])
        expect(await found(call, empty, question)).toEqual(await found(call, sandbox, question))
      expect(await found(call, empty, 'lighthouse')).toEqual([])
      const { body: listed } = await call('GET', `${empty.storage}/projects`)
      expect(listed.projects[0]).toMatchObject({ name: 'Night ferry', data_source_ids: [expect.any(String)] })

      const again = await importTo(call, empty, ndjson, NDJSON)
      expect(again.body.result).toMatchObject({ received: 4, written: 0, unchanged: 4, failed: 0 })
    })

    it('may be one JSON value, and an invalid record in it fails individually', async () => {
      const { call, sandbox } = await setUp()
      const records = [
        { external_id: '1', type: 'note', text: 'The harbour is closed.' },
        { external_id: '2', type: 'note', occurred_at: 'yesterday' },
        { kind: 'nothing known' },
      ]
      const { body } = await importTo(call, sandbox, { records })
      expect(body.result).toMatchObject({ received: 3, written: 1, failed: 2 })
      expect(body.result.errors.map((error: { line: number }) => error.line)).toEqual([2, 3])
      expect(await found(call, sandbox, 'harbour')).toEqual(['1'])
    })

    it('goes to the one named source, and does not wait unless asked to', async () => {
      const { call, sandbox } = await setUp()
      const records = [{ external_id: '1', type: 'note', text: 'The harbour is closed.' }]
      const { status, body } = await importTo(call, sandbox, records, {}, `?data_source_id=${sandbox.source}`)
      expect([status, body.status]).toEqual([202, 'queued'])
      const status_url = () => call('GET', body.status_url)
      await expect.poll(async () => (await status_url()).body.status).toBe('completed')
      expect((await exported(call, sandbox)).find(({ kind }) => kind === 'record')?.source_id).toBe(sandbox.source)
    })
  })

  describe('files', () => {
    const SLACK: ZipPart[] = [
      {
        name: 'users.json',
        content: JSON.stringify([{ id: 'U1', team_id: 'T1', name: 'ana', profile: { real_name: 'Ana Lima' } }]),
      },
      { name: 'channels.json', content: JSON.stringify([{ id: 'C1', name: 'harbour', created: 1770000000 }]) },
      {
        name: 'harbour/2026-03-01.json',
        content: JSON.stringify([
          { type: 'message', user: 'U1', ts: '1772352000.000100', text: 'The <@U1> quay is flooded' },
          { type: 'message', subtype: 'channel_join', user: 'U1', ts: '1772352001.000100', text: 'joined' },
          { type: 'message', user: 'U1', text: 'no time' },
        ]),
      },
      { name: 'harbour/2026-03-02.json', content: 'not json' },
    ]

    it('of a Slack export become people, channels and messages; invalid ones are named with their file', async () => {
      const { call, sandbox } = await setUp()
      const { body } = await importTo(call, sandbox, zipOf(SLACK), ZIP)
      expect(body.result).toMatchObject({ received: 5, written: 3, failed: 2 })
      expect(body.result.errors).toMatchObject([
        { file: 'harbour/2026-03-01.json', line: 3 },
        { file: 'harbour/2026-03-02.json', line: 1, reason: 'malformed_json' },
      ])
      const [message] = (await exported(call, sandbox)).filter(({ type }) => type === 'message')
      expect(message).toMatchObject({ text: 'The @Ana Lima quay is flooded', author: { name: 'Ana Lima' } })
      expect((await importTo(call, sandbox, zipOf(SLACK), ZIP)).body.result).toMatchObject({ unchanged: 3, written: 0 })
    })

    it('of a folder of Markdown become documents that link to each other, in any archive format', async () => {
      const { call, sandbox } = await setUp()
      const tar = tarOf(VAULT)
      const { body } = await importTo(call, sandbox, tar, { ...FILE, 'content-type': 'application/x-tar' })
      expect(body.result).toMatchObject({ received: 3, written: 2, failed: 1 })
      const [first] = await found(call, sandbox, 'When does the last ferry leave Skagen?')
      expect(first).toBe('notes/Night service.md')
      const handbook = (await exported(call, sandbox)).find(({ external_id }) => external_id === 'index.md')
      expect(handbook).toMatchObject({
        title: 'Ferry handbook',
        text: '# Start\nSee [[Night service]].',
        author: { name: 'Ana Lima' },
        properties: { tags: ['ferries', 'harbour'], path: 'index.md' },
      })
      const { body: search } = await call('GET', `${sandbox.storage}/entities/search?q=Night%20service`)
      const { body: night } = await call('GET', `${sandbox.storage}/entities/${search.results[0].canonical_id}`)
      expect(JSON.stringify(night.relations)).toContain('links_to')
      const zip = zipOf(Object.entries(VAULT).map(([name, content]) => ({ name, content })))
      for (const [packed, headers] of [
        [zip, ZIP],
        [gzipSync(tar), FILE],
      ] as const)
        expect((await importTo(call, sandbox, packed, headers)).body.result).toMatchObject({
          unchanged: 2,
          written: 0,
          failed: 1,
          errors: [
            { file: 'image.png', reason: 'unsupported_file', detail: expect.stringContaining('This is not text') },
          ],
        })
    })

    it('of a mailbox become mails', async () => {
      const { call, sandbox } = await setUp()
      const mail = (id: string, text: string) =>
        `From ana@x.example Sun Mar  1 09:00:00 2026\nFrom: Ana Lima <ana@x.example>\nTo: ben@x.example\n` +
        `Message-ID: <${id}@x.example>\nDate: Sun, 1 Mar 2026 09:00:00 +0000\nSubject: ${id}\n\n${text}\n\n`
      const mbox = mail('quay', 'The quay is dry.\n>From here on it is closed.') + mail('tide', 'High tide at noon.')
      const { body } = await importTo(call, sandbox, mbox, { ...FILE, 'content-type': 'application/mbox' })
      expect(body.result).toMatchObject({ received: 2, written: 2, failed: 0 })
      const lines = await exported(call, sandbox)
      expect(lines.find(({ title }) => title === 'quay')?.text).toBe('The quay is dry.\nFrom here on it is closed.')
      expect((await importTo(call, sandbox, gzipSync(mbox), FILE)).body.result).toMatchObject({ unchanged: 2 })
    })

    it('of one name and several kinds go to different sources, and mails name their mailbox', async () => {
      const { call, sandbox } = await setUp()
      const mbox =
        'From ana@x.example Sun Mar  1 09:00:00 2026\nFrom: Ana Lima <ana@x.example>\nMessage-ID: <quay@x.example>\n' +
        'Date: Sun, 1 Mar 2026 09:00:00 +0000\nSubject: quay\n\nThe quay is dry.\n\n'
      const send = async (content: string, path: string) => {
        const url = `${sandbox.storage}/import?source_name=Work&path=${path}`
        return (await call('POST', url, content, { ...FILE, prefer: 'wait=30' })).body.result
      }
      for (const written of [1, 0]) {
        expect(await send('The tide is high.', 'notes/tide.txt')).toMatchObject({ written })
        expect(await send(mbox, 'mail/all.mbox')).toMatchObject({ written })
      }
      const { sources } = (await call('GET', `${sandbox.storage}/sources`)).body
      const names = sources.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('Work'))
      expect(names.sort()).toEqual(['Work', 'Work (Mail)'])
      const mail = (await exported(call, sandbox)).find(({ title }) => title === 'quay')
      expect(mail?.properties).toMatchObject({ path: 'mail/all.mbox' })
    })

    it('that are hostile or unknown are rejected with a reason, and leave nothing', async () => {
      const { call, sandbox } = await setUp()
      const refused: [Buffer | string, number, string][] = [
        [zipOf([{ name: '../a.md', content: 'Hello.' }]), 422, 'unsafe_path'],
        [zipOf([]), 422, 'unknown_format'],
        [gzipSync('x').subarray(0, 12), 422, 'unreadable_archive'],
        ['', 422, 'unknown_format'],
      ]
      for (const [body, status, reason] of refused) {
        const reply = await importTo(call, sandbox, body, FILE)
        expect([reply.status, reply.body.reason]).toEqual([status, reason])
      }
      for (const body of [{}, [1, 2], { results: [] }])
        expect((await importTo(call, sandbox, body)).body.reason).toBe('unknown_format')
      expect((await call('GET', `${sandbox.storage}/sources`)).body.count).toBe(1)
      expect(await exported(call, sandbox)).toEqual([])
    })
  })

  it('an Idempotency-Key makes a repeated file the same import', async () => {
    const { call, sandbox } = await setUp()
    const zip = zipOf([{ name: 'a.md', content: 'The harbour.' }])
    const headers = { ...ZIP, 'idempotency-key': 'once' }
    const first = await importTo(call, sandbox, zip, headers)
    const again = await importTo(call, sandbox, zip, headers)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.body.job_id).toBe(first.body.job_id)
    expect((await importTo(call, sandbox, zipOf([{ name: 'b.md', content: 'x' }]), headers)).status).toBe(422)
  })
})
