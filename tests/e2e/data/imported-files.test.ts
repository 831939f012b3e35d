import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { MS_PER_DAY } from '../../../packages/engine/src/text/civil-date.ts'
import { dropFiles } from '../../../packages/server/src/sources/registry/delete-source.ts'
import { lines, pdfOf } from '../../harness/documents.ts'
import { finishedJob } from '../../harness/finished-job.ts'
import { keyForgotten, withKey } from '../../harness/keyed.ts'
import { type Call, newSandbox, onEachApp, type TestSandbox } from '../../harness/test-app.ts'
import { type ZipPart, zipOf } from '../../harness/zip.ts'

const SCAN = pdfOf([[]])
const FERRY = pdfOf([lines(['The night ferry leaves Skagen at 23:40.'])])
const FOLDER: ZipPart[] = [
  { name: 'ferry.pdf', content: FERRY },
  { name: 'lease of the boathouse.pdf', content: SCAN },
  { name: 'rates.csv', content: 'Berth,Price\nNorth,100\nSouth,250\n' },
  { name: 'cut.pdf', content: FERRY.subarray(0, 300) },
  { name: 'quay.png', content: Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1') },
]

onEachApp((app) => {
  const setUp = async () => {
    const account = await app().newAccount()
    return { ...account, sandbox: await newSandbox(account.call) }
  }
  const send = async (call: Call, { storage }: TestSandbox, parts = FOLDER, query = '') => {
    const headers = { 'content-type': 'application/zip' }
    const path = `${storage}/import?source_name=Folder&format=documents${query}`
    const { body } = await call('POST', path, zipOf(parts), headers)
    return finishedJob(call, storage, body.job_id)
  }
  const sourceIn = async (call: Call, { storage }: TestSandbox) => {
    const { body } = await call('GET', `${storage}/sources`)
    const id = body.sources.find((each: { name: string }) => each.name === 'Folder').data_source_id
    return `${storage}/sources/${id}`
  }
  const ask = async (call: Call, { query }: TestSandbox, question: string, project?: string) =>
    (await call('POST', `${query}/search`, { query: question, ...(project && { project_id: project }) })).body
  const rowsOf = (userId: string) =>
    app().cairn.app.sql.transact(userId, (tx) => tx.selectFrom('import_file').selectAll().execute())

  it('each file of an import is listed by its job and its run with its outcome, in pages', async () => {
    const { call, sandbox } = await setUp()
    const { result } = await send(call, sandbox)
    expect(result.files).toEqual([
      { path: 'lease of the boathouse.pdf', status: 'left_out', reason: 'no_text', records: 0 },
      { path: 'cut.pdf', status: 'failed', reason: 'file_damaged', records: 0 },
      { path: 'quay.png', status: 'left_out', reason: 'unsupported_file', records: 0 },
      { path: 'ferry.pdf', status: 'read', records: 1 },
      { path: 'rates.csv', status: 'read', records: 3 },
    ])
    const again = [...FOLDER.slice(0, 2), { name: 'rates.csv', content: 'Berth,Price\nNorth,100\nSouth,300\n' }]
    const { job_id: second, result: changed } = await send(call, sandbox, again)
    expect(changed.files).toMatchObject([{ status: 'left_out' }, { status: 'unchanged' }, { status: 'read' }])
    const source = await sourceIn(call, sandbox)
    const { runs } = (await call('GET', `${source}/runs`)).body
    expect(runs[0]).toMatchObject({ job_id: second, files: changed.files })
    expect(runs[1].files).toEqual(result.files)

    const files = `${source}/runs/${runs[1].job_id}/files`
    const first = (await call('GET', `${files}?limit=3`)).body
    const rest = (await call('GET', `${files}?limit=3&cursor=${first.next_cursor}`)).body
    const paths = [...first.files, ...rest.files].map(({ path }: { path: string }) => path)
    expect(paths).toEqual(FOLDER.map(({ name }) => name))
    expect(rest.next_cursor).toBeUndefined()
    expect((await call('GET', `${files}?unread=true`)).body.files).toEqual(result.files.slice(0, 3))
  })

  it('a run of thousands of files lists the first, and its job at most a hundred', async () => {
    const { call, sandbox } = await setUp()
    const many = Array.from({ length: 1_200 }, (_, at) => ({ name: `p${at}.png`, content: FOLDER[4]!.content }))
    const { job_id: id, result } = await send(call, sandbox, [...many, { name: 'a.txt', content: 'The quay is dry.' }])
    expect([result.failed, result.files.length]).toEqual([1_200, 100])
    const source = await sourceIn(call, sandbox)
    const { runs } = (await call('GET', `${source}/runs`)).body
    expect(runs[0].files).toHaveLength(20)
    const page = (await call('GET', `${source}/runs/${id}/files?limit=1000`)).body
    const last = (await call('GET', `${source}/runs/${id}/files?limit=1000&cursor=${page.next_cursor}`)).body
    expect([page.count, last.count]).toEqual([1_000, 201])
  })

  it('an abstention lists unread texts, first those whose path matches the question', async () => {
    const { call, sandbox } = await setUp()
    await send(call, sandbox)
    const refused = await ask(call, sandbox, 'What is the rent in the lease?')
    expect(refused).toMatchObject({
      answered: false,
      answer: expect.stringMatching(/2 files here were not read \(1 scanned PDF, 1 damaged PDF\)\.$/),
      unread: [
        { path: 'lease of the boathouse.pdf', reason: 'no_text' },
        { path: 'cut.pdf', reason: 'file_damaged' },
      ],
    })
    expect((await ask(call, sandbox, 'When does the night ferry leave Skagen?')).unread).toBeUndefined()
    const text = 'The boathouse is let until 2031.'
    await send(call, sandbox, [
      { name: 'lease of the boathouse.pdf', content: pdfOf([lines([text])]) },
      { name: 'cut.pdf', content: FERRY },
    ])
    expect((await ask(call, sandbox, 'What is the rent in the lease?')).unread).toBeUndefined()
  })

  it('a file without text is listed if its path matches the question', async () => {
    const { call, sandbox } = await setUp()
    await send(call, sandbox, [FOLDER[4]!, { name: 'berths/IMG_0012.png', content: FOLDER[4]!.content }])
    const { answer, unread } = await ask(call, sandbox, 'Which berths are free?')
    expect(unread).toEqual([{ path: 'berths/IMG_0012.png', reason: 'unsupported_file' }])
    expect(answer).toContain('1 file here was not read (1 unsupported PNG).')
    expect((await ask(call, sandbox, 'When does the warranty of the crane end?')).unread).toBeUndefined()
  })

  it('files are visible only in their project and tenant', async () => {
    const { call, sandbox } = await setUp()
    const project = async (name: string) =>
      (await call('POST', `${sandbox.storage}/projects`, { name, data_source_ids: [] })).body.project_id
    const [own, other] = [await project('Own'), await project('Other')]
    const { job_id: id } = await send(call, sandbox, FOLDER, `&project_id=${own}`)
    const question = 'What is the rent in the lease?'
    expect((await ask(call, sandbox, question, own)).unread).toHaveLength(2)
    expect((await ask(call, sandbox, question, other)).unread).toBeUndefined()
    const source = await sourceIn(call, sandbox)
    const stranger = await app().newAccount()
    const theirs = await newSandbox(stranger.call)
    for (const path of [`${source}/runs`, `${source}/runs/${id}/files`]) {
      expect((await stranger.call('GET', path)).status).toBe(404)
    }
    expect((await ask(stranger.call, theirs, question)).unread).toBeUndefined()
    expect(await rowsOf(stranger.userId)).toEqual([])
  })

  it('they are deleted with their source, with a purge, and after 30 days', async () => {
    const { call, userId, sandbox } = await setUp()
    await send(call, sandbox)
    await call('POST', `${await sourceIn(call, sandbox)}/purge`, {})
    expect(await rowsOf(userId)).toEqual([])
    await send(call, sandbox)
    expect(await rowsOf(userId)).toHaveLength(FOLDER.length)
    await call('DELETE', await sourceIn(call, sandbox))
    expect(await rowsOf(userId)).toEqual([])
    await send(call, sandbox)
    app().clock.advance(29 * MS_PER_DAY)
    await dropFiles(app().cairn.app)
    expect(await rowsOf(userId)).toHaveLength(FOLDER.length)
    app().clock.advance(2 * MS_PER_DAY)
    await dropFiles(app().cairn.app)
    expect(await rowsOf(userId)).toEqual([])
  })

  it('a source keeps its latest hundred thousand files', async () => {
    const { call, userId, sandbox } = await setUp()
    await send(call, sandbox)
    for (let first = 1; first < 100_000; first += 10_000) {
      const last = first + 9_999
      await app().cairn.app.sql.transact(userId, (tx) =>
        sql`
          insert into import_file (user_id, sandbox_id, job_id, source_id, path_key, path, noted_at)
          select user_id, sandbox_id, job_id, source_id, n, n::text, noted_at
          from import_file, generate_series(${first}::int, ${last}::int) n where path = 'ferry.pdf'`.execute(tx),
      )
    }
    await send(call, sandbox, FOLDER.slice(0, 1))
    const paths = new Set((await rowsOf(userId)).map(({ path }) => path))
    expect([paths.size, paths.has('cut.pdf'), paths.has('ferry.pdf')]).toEqual([100_001, false, true])
  })

  it('in an encrypted sandbox their paths are encrypted, and shown only with the key', async () => {
    const { call, userId, sandbox } = await setUp()
    const key = randomBytes(32)
    const keyed = withKey(call, key)
    // A graph that was opened before the key arrives is encrypted from then on.
    await ask(call, sandbox, 'What is the rent in the lease?')
    const { job_id: id } = await send(keyed, sandbox)
    expect(JSON.stringify(await rowsOf(userId))).not.toMatch(/lease|ferry/)
    const source = await sourceIn(call, sandbox)
    await keyForgotten(app(), sandbox.id)
    expect((await call('GET', `${source}/runs`)).body.runs[0].files).toBeUndefined()
    expect((await call('GET', `${source}/runs/${id}/files`)).status).toBe(403)
    expect((await keyed('GET', `${source}/runs/${id}/files`)).body.files).toHaveLength(FOLDER.length)
    const question = { query: 'What is the rent in the lease?' }
    const { body } = await keyed('POST', `${sandbox.query}/search`, question)
    expect(body.unread[0]).toMatchObject({ path: 'lease of the boathouse.pdf' })
    const next = randomBytes(32)
    const rotated = await keyed('POST', `${sandbox.storage}/rotate-key`, undefined, {
      'x-new-encryption-key': next.toString('base64'),
    })
    expect(rotated.status).toBe(200)
    expect((await withKey(call, next)('GET', `${source}/runs`)).body.runs[0].files).toBeUndefined()
    expect(await rowsOf(userId)).toEqual([])
  })
})
