// The conformance list in JavaScript. Prints a JSON line for each item: its id, and the reason if it failed.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  Cairn,
  ConflictError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
  UnansweredError,
  UnauthorizedError,
  UnexpectedReplyError,
} from '@cairnstore/client'

const PROXY = process.env.CONFORMANCE_PROXY ?? ''
const SLOW_MS = 20_000

/** @param {Record<string, unknown>} [options] */
const open = (options) => new Cairn({ url: PROXY, ...options })

/** @param {unknown[]} faults */
const setFaults = (...faults) => fetch(`${PROXY}/__faults`, { method: 'PUT', body: JSON.stringify(faults) })

/** @returns {Promise<{ method: string, path: string, headers: Record<string, string> }[]>} */
const seen = async () => /** @type {any} */ (await (await fetch(`${PROXY}/__seen`)).json())

/** @param {unknown} call @returns {Promise<any>} what a call fails with */
async function failureOf(call) {
  try {
    await call
  } catch (error) {
    return error
  }
  throw new Error('It went well.')
}

const cairn = open()
/** A sandbox with a source, used only by this run. */
const made = await cairn.createSandbox({ name: `Conformance ${randomUUID()}` })
const at = { sandbox_id: made.sandbox_id }
const { data_source_id: source_id } = await cairn.createSource({ ...at, provider: 'notes', name: 'Notes' })
const here = open({ sandbox: made.sandbox_id })

/** @param {number} count */
function* notes(count) {
  for (let each = 0; each < count; each += 1) {
    yield { external_id: `n${each}`, type: 'note', title: `Note ${each}`, text: `Pump ${each} stopped at noon.` }
  }
}

/** @type {Record<string, () => Promise<void>>} */
const CASES = {
  async common() {
    const client = open({ sandbox: made.sandbox_id })
    const job = await client.add('Priya Raman moved the launch to 3 June.')
    const { answer, citations } = await client.ask('When is the launch?')
    assert.equal(job.status, 'completed')
    assert.match(answer, /3 June/)
    assert.ok(citations.length > 0)
  },
  async add_path() {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-conformance-'))
    try {
      writeFileSync(join(folder, 'pumps.md'), '# Pumps\n\nPump 7 stopped because its filter was full of sand.\n')
      writeFileSync(join(folder, 'filters.md'), '# Filters\n\nFilters are changed every two weeks.\n')
      assert.equal((await here.add({ path: folder })).result?.written, 2)
      writeFileSync(join(folder, 'filters.md'), '# Filters\n\nFilters are changed every week.\n')
      const { written, unchanged } = (await here.add({ path: folder })).result ?? {}
      assert.deepEqual([written, unchanged], [1, 1])
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  async add_files() {
    const form = () => {
      const files = new FormData()
      files.append('file', new Blob(['Valve 3 leaks at its seal.']), 'valves/Ventil é 3.txt')
      files.append('file', new Blob(['Valve,Seal\n3,rubber\n4,felt\n']), 'seals.csv')
      return files
    }
    const { result } = await here.add(form(), { source_name: 'Form' })
    assert.deepEqual(
      result?.files?.map(({ path }) => path),
      ['valves/Ventil é 3.txt', 'seals.csv'],
    )
    const again = (await here.add(form(), { source_name: 'Form' })).result
    assert.deepEqual([again?.written, again?.unchanged], [0, result?.written])
  },
  async add_messages() {
    const messages = /** @type {const} */ ([{ role: 'user', name: 'Ada Berg', content: 'The ferry leaves at six.' }])
    assert.equal((await here.add(messages, { session_id: 's1' })).result?.written, 1)
    assert.equal((await here.add(messages, { session_id: 's1' })).result?.unchanged, 1)
  },
  async auth() {
    const error = await failureOf(open({ apiKey: 'cairn_none' }).getProfile())
    assert.ok(error instanceof UnauthorizedError)
    assert.equal(error.code, 'unauthorized')
  },
  async forbidden() {
    const error = await failureOf(here.search({ query: 'What?', preset: 'max' }))
    assert.ok(error instanceof ForbiddenError)
    assert.equal(error.reason, 'preset_reserved')
  },
  async not_found() {
    assert.ok((await failureOf(here.getRecord({ record_id: 'rec_none' }))) instanceof NotFoundError)
  },
  async invalid() {
    const error = await failureOf(here.search({ query: '' }))
    assert.ok(error instanceof InvalidError)
    assert.deepEqual(error.errors[0]?.loc, ['body', 'query'])
  },
  async conflict() {
    const error = await failureOf(cairn.createSandbox({ name: made.name }))
    assert.ok(error instanceof ConflictError)
    assert.equal(error.reason, 'duplicate_name')
  },
  async error_parts() {
    /** @type {string | null} */
    let requestId = null
    const options = { onReply: (/** @type {Response} */ reply) => (requestId = reply.headers.get('x-request-id')) }
    const error = await failureOf(here.search({ query: 'What?', preset: 'max' }, options))
    assert.ok(error instanceof ApiError)
    assert.deepEqual([error.status, error.code, error.reason], [403, 'forbidden', 'preset_reserved'])
    assert.ok(error.detail.length > 0 && error.message.includes(error.detail))
    assert.equal(error.requestId, requestId)
  },
  async version() {
    let etag = ''
    const onReply = (/** @type {Response} */ reply) => {
      etag = reply.headers.get('etag') ?? ''
    }
    await cairn.getSandbox(at, { onReply })
    const first = etag
    await cairn.updateSandbox({ ...at, metadata: { at: 1 } }, { ifMatch: first })
    const error = await failureOf(cairn.updateSandbox({ ...at, metadata: { at: 2 } }, { ifMatch: first }))
    assert.ok(error instanceof ConflictError)
    assert.equal(error.status, 412)
  },
  async null_clears() {
    const { project_id } = await here.createProject({ name: randomUUID(), description: 'Something.' })
    const kept = await here.updateProject({ project_id, metadata: { a: 1 } })
    const cleared = await here.updateProject({ project_id, description: null })
    assert.deepEqual([kept.description, cleared.description], ['Something.', null])
  },
  async retry_429() {
    await setFaults({ status: 429, retry_after: '1' }, { status: 429, retry_after: '0' })
    const startedAt = performance.now()
    await here.getProfile()
    assert.ok(performance.now() - startedAt >= 990)
    assert.equal((await seen()).length, 3)
  },
  async retry_503() {
    await setFaults({ status: 503, retry_after: '0' }, { status: 503 })
    await cairn.createProject({ ...at, name: randomUUID() })
    const keys = (await seen()).map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 3)
    assert.ok(keys[0])
    assert.equal(new Set(keys).size, 1)
  },
  async retry_lost() {
    await setFaults({ lose: true })
    const name = randomUUID()
    const { project_id } = await here.createProject({ name })
    assert.equal((await seen()).length, 2)
    const { projects } = await here.listProjects()
    assert.deepEqual(
      projects.filter((each) => each.name === name).map((each) => each.project_id),
      [project_id],
    )
  },
  async retry_cut() {
    await setFaults({ cut: true }, { lose: true })
    await here.getProfile()
    assert.equal((await seen()).length, 3)
  },
  async retry_unsafe() {
    await setFaults({ lose: true })
    const asked = { canonical_id: 'ent_none', keys: ['email:a@example.com'] }
    const error = await failureOf(here.splitEntity(asked))
    assert.ok(error instanceof UnansweredError)
    assert.equal(error.wasSent, true)
    assert.equal((await seen()).length, 1)
  },
  async retry_long() {
    await setFaults({ status: 429, retry_after: '3600' })
    const error = await failureOf(here.getProfile())
    assert.ok(error instanceof RateLimitedError)
    assert.equal(error.retryAfterSeconds, 3600)
  },
  async pages() {
    await here.putRecords({ source_id, records: [...notes(7)] }, { waitSeconds: 30 })
    const asked = { source_id, limit: 2 }
    const ids = []
    for await (const { record_id } of here.listRecords(asked)) ids.push(record_id)
    assert.deepEqual([ids.length, new Set(ids).size], [7, 7])
    assert.equal((await here.listRecords(asked)).records.length, 2)
  },
  async lines_up() {
    const later = async function* () {
      for (const note of notes(7)) {
        await sleep(1)
        yield note
      }
    }
    const job = await here.putRecords({ source_id, records: later() }, { waitSeconds: 30 })
    assert.equal(/** @type {any} */ (job).result.received, 7)
  },
  async lines_down() {
    let records = 0
    for await (const line of here.exportKnowledge()) if (line.external_id !== undefined) records += 1
    assert.ok(records >= 7)
  },
  async file_down() {
    const bytes = new Uint8Array(Buffer.from('Gasket,Seal\n3,caf\xe9\n', 'latin1'))
    const files = new FormData()
    files.append('file', new Blob([bytes]), 'gaskets.csv')
    await here.add(files, { source_name: 'Gaskets' })
    const found = []
    for await (const { record_id } of here.listRecords({ type: 'gasket' })) found.push(record_id)
    const file = await here.downloadOriginal({ record_id: /** @type {string} */ (found[0]) })
    assert.deepEqual(new Uint8Array(await file.arrayBuffer()), bytes)
  },
  async streamed_search() {
    const stream = here.streamAsk('When is the launch?')
    let text = ''
    for await (const { delta, restart } of stream) text = restart ? delta : text + delta
    assert.ok(text.length > 0)
    assert.equal((await stream.result()).answer.trim(), text.trim())
  },
  async streamed_interpret() {
    const { items } = await here.discover({ query: 'When is the launch?', limit: 2 })
    const pinned = items.map(({ canonical_ids }) => canonical_ids)
    const { brief } = await here.streamInterpret({ query: 'When is the launch?', items: pinned }).result()
    assert.match(brief, /3 June/)
  },
  async stop() {
    await setFaults({ silent: true })
    const stop = new AbortController()
    const call = failureOf(here.getProfile({}, { signal: stop.signal }))
    setTimeout(() => stop.abort(), 50)
    assert.equal((await call).name, 'AbortError')
  },
  async timeout() {
    await setFaults({ silent: true })
    const error = await failureOf(here.getProfile({}, { timeoutMs: 200, retries: 0 }))
    assert.ok(error instanceof TimeoutError)
  },
  async waits() {
    const job = await here.putRecords({ source_id, records: [...notes(1)] }, { waitSeconds: 30 })
    assert.equal(job.status, 'completed')
  },
  async key_header() {
    await openEncrypted(false)
  },
  async key_token() {
    await openEncrypted(true)
  },
  async ids() {
    const ids = ['9007199254740993', 'a/b?c#d', 'é ü 秘密', '../x']
    const records = ids.map((external_id) => ({ external_id, type: 'odd', text: `This is ${external_id}.` }))
    await here.putRecords({ source_id, records }, { waitSeconds: 30 })
    const found = []
    for await (const { record_id } of here.listRecords({ type: 'odd' })) found.push(await here.getRecord({ record_id }))
    assert.deepEqual(found.map((each) => each.external_id).sort(), [...ids].sort())
    for (const record_id of ids) {
      assert.ok((await failureOf(here.getRecord({ record_id }))) instanceof NotFoundError)
    }
  },
  async no_redirect() {
    await setFaults({ status: 307, location: `${PROXY}/api/v1/users/me/profile?elsewhere` })
    const error = await failureOf(here.getProfile({}, { retries: 0 }))
    assert.equal((await seen()).length, 1)
    assert.ok(error instanceof ApiError || error instanceof UnexpectedReplyError)
    assert.equal(error.status, 307)
  },
  async no_cairn() {
    await setFaults({ html: true })
    assert.ok((await failureOf(here.getProfile())) instanceof UnexpectedReplyError)
  },
}

/** @param {boolean} encryptsKey */
async function openEncrypted(encryptsKey) {
  const encryptionKey = crypto.getRandomValues(new Uint8Array(32))
  const { sandbox_id: sandbox } = await cairn.createSandbox({ name: `Sealed ${randomUUID()}` })
  const owner = open({ sandbox, encryptionKey, encryptsKey })
  await owner.add('The safe stands in the cellar.')
  await setFaults()
  await owner.getSandbox({ sandbox_id: sandbox })
  assert.match((await owner.ask('Where does the safe stand?')).answer, /cellar/)
  const headers = (await seen()).map((each) => Object.keys(each.headers).filter((name) => name.startsWith('x-enc')))
  assert.deepEqual(headers, [[], [encryptsKey ? 'x-encryption-token' : 'x-encryption-key']])
  const error = await failureOf(open({ sandbox }).ask('Where does the safe stand?'))
  assert.ok(error instanceof ForbiddenError)
  assert.equal(error.code, 'encryption_key_required')
}

for (const [id, run] of Object.entries(CASES)) {
  await setFaults()
  const late = sleep(SLOW_MS, 'late', { ref: false }).then(() => Promise.reject(new Error('It took too long.')))
  const failure = await Promise.race([run(), late]).catch((error) => error)
  console.log(JSON.stringify({ id, ...(failure && { failure: String(failure.stack ?? failure) }) }))
}
