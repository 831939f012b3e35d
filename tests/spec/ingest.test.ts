import { describe, expect, it } from 'vitest'
import { type Call, newSandbox, onEachApp, putRecords, type TestSandbox } from '../harness/test-app.ts'

const WAIT = { prefer: 'wait=30' }
const NDJSON = { 'content-type': 'application/x-ndjson' }
const NO_RECORD = `rec_${'0'.repeat(26)}`
const NO_JOB = `job_${'0'.repeat(26)}`
const LINE_BYTES_MAX = 1024 * 1024
const BODY_BYTES_MAX = 16 * 1024 * 1024

const message = (id: string | number, text = `Message ${id} is about the harbour.`) => ({
  external_id: String(id),
  type: 'message',
  text,
})

function putLines(call: Call, sandbox: TestSandbox, body: string | Buffer, headers = WAIT) {
  return call('POST', sandbox.records, body, { ...NDJSON, ...headers })
}

async function found(call: Call, sandbox: TestSandbox, query: string, more: object = {}) {
  const { body } = await call('POST', `${sandbox.query}/discover`, { query, limit: 100, ...more })
  return body.items.map((item: { external_id: string }) => item.external_id) as string[]
}

async function recordId(call: Call, sandbox: TestSandbox, query: string): Promise<string> {
  const { body } = await call('POST', `${sandbox.query}/discover`, { query, limit: 1 })
  return body.items[0].record_id
}

async function newProject(call: Call, sandbox: TestSandbox, name = 'Project'): Promise<string> {
  const { body } = await call('POST', `${sandbox.storage}/projects`, { name })
  return body.project_id
}

onEachApp((app) => {
  const setUp = async () => {
    const { call } = await app().newAccount()
    return { call, sandbox: await newSandbox(call) }
  }

  describe('records', () => {
    it('answers 202 with a job, which can be polled until its end', async () => {
      const { call, sandbox } = await setUp()
      const accepted = await call('POST', sandbox.records, { records: [message(1), message(2)] })
      expect(accepted.status).toBe(202)
      expect(accepted.body).toMatchObject({ status: 'queued', encrypted: false, sandbox_id: sandbox.id })
      expect(accepted.body.project_id).toBeNull()
      await expect.poll(async () => (await call('GET', accepted.body.status_url)).body.status).toBe('completed')
      const { body: job } = await call('GET', accepted.body.status_url)
      expect(job).toMatchObject({ job_id: accepted.body.job_id, job_type: 'records', encrypted: false, retry_count: 0 })
      expect(job.result).toMatchObject({ received: 2, written: 2, removed: 0, failed: 0 })
    })

    it('answers 200 if asked to wait: the content can be queried, and the source is stamped', async () => {
      const { call, sandbox } = await setUp()
      const { status, body } = await call('POST', sandbox.records, { records: [message(1)] }, WAIT)
      expect([status, body.status]).toEqual([200, 'completed'])
      expect(await found(call, sandbox, 'harbour')).toEqual(['1'])
      const { body: source } = await call('GET', `${sandbox.storage}/sources/${sandbox.source}`)
      expect(source.last_sync_at).toBeTruthy()
    })

    it('rejects an invalid record individually, with its position, id and reason', async () => {
      const { call, sandbox } = await setUp()
      const bad = { external_id: 'bad', type: 'message', occurred_at: 'yesterday' }
      const records = [message(1), bad, 'no object', { type: 'message' }, message(5)]
      const { body } = await call('POST', sandbox.records, { records }, WAIT)
      expect(body.result).toMatchObject({ received: 5, written: 2, failed: 3 })
      expect(body.result.errors.map((error: { line: number }) => error.line)).toEqual([2, 3, 4])
      expect(body.result.errors[0]).toMatchObject({
        external_id: 'bad',
        detail: expect.stringContaining('occurred_at'),
      })
      expect(JSON.stringify(body)).not.toContain('yesterday')
      expect((await found(call, sandbox, 'harbour')).sort()).toEqual(['1', '5'])
    })

    it('replaces a record with the same external_id and removes facts that only the old version stated', async () => {
      const { call, sandbox } = await setUp()
      const old = { ...message(1, 'The falcon sleeps.'), author: 'Odette Marchetti' }
      await putRecords(call, sandbox, [old, message(2, 'The heron fishes.')])
      const before = await recordId(call, sandbox, 'falcon')
      await putRecords(call, sandbox, [message(1, 'The kestrel hovers.')])
      expect(await recordId(call, sandbox, 'kestrel')).toBe(before)
      expect(await found(call, sandbox, 'falcon')).not.toContain('1')
      expect((await call('GET', `${sandbox.storage}/entities/search?q=Odette%20Marchetti`)).body.results).toEqual([])
      expect((await call('GET', `${sandbox.storage}/records/${before}`)).body.text).toBe('The kestrel hovers.')
    })

    it('keeps the last of several versions in one batch', async () => {
      const { call, sandbox } = await setUp()
      await putRecords(call, sandbox, [message(1, 'The falcon sleeps.'), message(1, 'The kestrel hovers.')])
      expect(await found(call, sandbox, 'falcon')).toEqual([])
      expect(await found(call, sandbox, 'kestrel')).toEqual(['1'])
    })

    it('removes a deleted record, and accepts its id again later', async () => {
      const { call, sandbox } = await setUp()
      await putRecords(call, sandbox, [message(1), message(2)])
      const id = await recordId(call, sandbox, 'message 1')
      const job = await putRecords(call, sandbox, [{ external_id: '1', type: 'message', deleted: true }])
      expect(job.result).toMatchObject({ received: 1, written: 0, removed: 1 })
      expect(await found(call, sandbox, 'harbour')).toEqual(['2'])
      expect((await call('GET', `${sandbox.storage}/records/${id}`)).status).toBe(404)
      await putRecords(call, sandbox, [message(1)])
      expect((await found(call, sandbox, 'harbour')).sort()).toEqual(['1', '2'])
    })

    it('accepts a batch without records, and the deletion of an unknown record', async () => {
      const { call, sandbox } = await setUp()
      expect((await putRecords(call, sandbox, [])).result).toMatchObject({ received: 0, written: 0, failed: 0 })
      await putRecords(call, sandbox, [{ external_id: 'never', type: 'message', deleted: true }])
      expect(await found(call, sandbox, 'never')).toEqual([])
    })

    it('rejects a record of an unknown or archived project individually', async () => {
      const { call, sandbox } = await setUp()
      const archived = await newProject(call, sandbox)
      await call('POST', `${sandbox.storage}/projects/${archived}/archive`)
      const records = [
        { ...message(1), project_id: 'prj_unknown' },
        message(2),
        { ...message(3), project_id: archived },
      ]
      const { body } = await call('POST', sandbox.records, { records }, WAIT)
      expect(body.result).toMatchObject({ written: 1, failed: 2 })
      expect(body.result.errors).toMatchObject([
        { line: 1, external_id: '1', reason: 'unknown_project' },
        { line: 3, external_id: '3', reason: 'project_archived' },
      ])
    })

    it('returns a record as it was sent, with times in UTC, and nothing else by its id', async () => {
      const { call, sandbox } = await setUp()
      const record = {
        external_id: 'issue-1',
        type: 'issue',
        title: 'Crane is stuck',
        text: 'It does not move.',
        url: 'https://tracker.example/1',
        occurred_at: '2026-07-01T10:00:00+02:00',
        author: { name: 'Ana Lima', identifiers: { email: 'ana@example.com' } },
        participants: ['Ben Katz'],
        properties: { status: 'open' },
        entities: [{ type: 'crane', name: 'Crane 4' }],
        relations: [{ subject: 'Ana Lima', predicate: 'reported', object: 'Crane 4' }],
      }
      await putRecords(call, sandbox, [record])
      const id = await recordId(call, sandbox, 'crane')
      const { status, body } = await call('GET', `${sandbox.storage}/records/${id}`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ ...record, occurred_at: '2026-07-01T08:00:00.000Z', source_id: sandbox.source })
      expect(body.canonical_ids.at(-1)).toBe(id)
      expect((await call('GET', `${sandbox.storage}/records/${NO_RECORD}`)).status).toBe(404)
      expect((await call('GET', `${sandbox.storage}/records/nonsense`)).status).toBe(404)
    })

    it('rejects a body over 16 MiB and one without records', async () => {
      const { call, sandbox } = await setUp()
      const large = JSON.stringify({ records: [message(1, 'x'.repeat(BODY_BYTES_MAX))] })
      expect(await call('POST', sandbox.records, large)).toMatchObject({
        status: 413,
        body: { error: 'payload_too_large' },
      })
      expect((await call('POST', sandbox.records, {})).status).toBe(422)
      expect((await call('POST', sandbox.records, { records: 'many' })).status).toBe(422)
      expect((await call('POST', sandbox.records, '[1')).status).toBe(400)
    })
  })

  describe('lines', () => {
    it('rejects an invalid line individually with number and reason; blank lines and CRLF are fine', async () => {
      const { call, sandbox } = await setUp()
      const long = JSON.stringify(message('long', 'x'.repeat(LINE_BYTES_MAX)))
      const lines = [message(1), '', '{"external_id": broken', message(4), long, '   ', message(7)]
      const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\r\n')
      const { status, body } = await putLines(call, sandbox, text)
      expect([status, body.status]).toEqual([200, 'completed'])
      expect(body.result).toMatchObject({ received: 5, written: 3, failed: 2 })
      expect(body.result.errors).toMatchObject([
        { line: 3, reason: 'malformed_json' },
        { line: 5, reason: 'line_too_long' },
      ])
      expect((await found(call, sandbox, 'harbour')).sort()).toEqual(['1', '4', '7'])
    })

    it('accepts a last line with and without a newline', async () => {
      const { call, sandbox } = await setUp()
      const lines = `${JSON.stringify(message(1))}\n${JSON.stringify(message(2))}`
      expect((await putLines(call, sandbox, lines)).body.result.written).toBe(2)
      expect((await putLines(call, sandbox, `${lines}\n`)).body.result).toMatchObject({ received: 2, failed: 0 })
    })

    it('names the line of invalid UTF-8 and of unknown fields', async () => {
      const { call, sandbox } = await setUp()
      const bytes = Buffer.concat([
        Buffer.from('{"external_id":"1","type":"message","text":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}\n{"external_id":"2","type":"message","__proto__":{}}\n'),
        Buffer.from(JSON.stringify(message(3))),
      ])
      const { body } = await putLines(call, sandbox, bytes)
      expect(body.result.errors).toMatchObject([
        { line: 1, reason: 'invalid_utf8' },
        { line: 2, reason: 'forbidden_key' },
      ])
      expect(body.result.written).toBe(1)
    })

    it('accepts 3 000 lines in one request', async () => {
      const { call, sandbox } = await setUp()
      const lines = Array.from({ length: 3_000 }, (_, at) => JSON.stringify(message(at, `Note ${at} on berth ${at}.`)))
      const { status, body } = await putLines(call, sandbox, lines.join('\n'))
      expect([status, body.result.written, body.result.failed]).toEqual([200, 3_000, 0])
      expect(await found(call, sandbox, 'What is noted on berth 2777?', { limit: 1 })).toEqual(['2777'])
    })
  })

  describe('text', () => {
    it('becomes a record with its speaker, and its job says so', async () => {
      const { call, sandbox } = await setUp()
      const asked = { text: 'Priya moved the launch to 3 June.', speaker: 'Priya Raman', source_type: 'note' }
      const { status, body } = await call('POST', `${sandbox.storage}/ingest`, asked, WAIT)
      expect([status, body.job_type]).toEqual([200, 'ingest'])
      expect(body.result).toMatchObject({ received: 1, written: 1 })
      const id = await recordId(call, sandbox, 'launch')
      const { body: record } = await call('GET', `${sandbox.storage}/records/${id}`)
      expect(record).toMatchObject({ type: 'note', text: asked.text, author: 'Priya Raman' })
    })

    it('goes to the primary sandbox and its default project by the short path', async () => {
      const { call, sandbox } = await setUp()
      const text = 'The lighthouse is painted red.'
      await newSandbox(call, 'Second')
      expect((await call('POST', '/api/v1/storage/ingest', { text })).body.reason).toBe('no_primary_sandbox')
      const projectId = await newProject(call, sandbox)
      await call('POST', '/api/v1/users/me/profile', { sandbox_id: sandbox.id, project_id: projectId })
      expect((await call('POST', '/api/v1/storage/ingest', { text }, WAIT)).status).toBe(200)
      expect(await found(call, sandbox, 'lighthouse', { project_id: projectId })).toHaveLength(1)
    })

    it('is not searchable if storage_only is set', async () => {
      const { call, sandbox } = await setUp()
      const asked = { text: 'The lighthouse is painted red.', storage_only: true }
      expect((await call('POST', `${sandbox.storage}/ingest`, asked, WAIT)).status).toBe(200)
      expect(await found(call, sandbox, 'lighthouse')).toEqual([])
      expect((await call('GET', `${sandbox.storage}/export`)).body).toContain('lighthouse')
    })

    it('is rejected for an unknown or archived project, an unknown source, and when it is blank', async () => {
      const { call, sandbox } = await setUp()
      const path = `${sandbox.storage}/ingest`
      const archived = await newProject(call, sandbox)
      await call('POST', `${sandbox.storage}/projects/${archived}/archive`)
      const statuses = await Promise.all(
        [{ project_id: 'prj_unknown' }, { project_id: archived }, { data_source_id: 'src_unknown' }, { text: ' ' }].map(
          async (more) => (await call('POST', path, { text: 'Hello.', ...more })).status,
        ),
      )
      expect(statuses).toEqual([404, 409, 404, 422])
      expect((await call('GET', `${sandbox.storage}/export`)).body).toBe('')
    })
  })

  it('answers 404 for a job that the sandbox does not have', async () => {
    const { call, sandbox } = await setUp()
    const other = await newSandbox(call, 'Other')
    const job = await putRecords(call, other, [message(1)])
    for (const id of [NO_JOB, job.job_id, 'nonsense']) {
      expect((await call('GET', `${sandbox.storage}/ingest/${id}`)).status).toBe(404)
    }
  })

  it('exports every record once, one object per line', async () => {
    const { call, sandbox } = await setUp()
    const ids = Array.from({ length: 40 }, (_, at) => `m-${at}`)
    await putRecords(
      call,
      sandbox,
      ids.map((id) => ({ ...message(id), author: 'Ana Lima' })),
    )
    await putRecords(call, sandbox, [message('m-3', 'A later version.')])
    await putRecords(call, sandbox, [{ external_id: 'm-4', type: 'message', deleted: true }])
    const reply = await call('GET', `${sandbox.storage}/export`)
    expect(reply.headers['content-type']).toContain('application/x-ndjson')
    const lines = String(reply.body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const records = lines.filter(({ kind }) => kind === 'record')
    expect(records.map((record) => record.external_id).sort()).toEqual(ids.filter((id) => id !== 'm-4').sort())
    expect(records.find((record) => record.external_id === 'm-3').text).toBe('A later version.')
    expect(lines.filter(({ kind }) => kind === 'entity').map(({ name }) => name)).toEqual(['Ana Lima'])
  })
})
