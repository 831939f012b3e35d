// Runs the whole server in this process on embedded engines in a temporary folder, without a socket and with a fixed
// clock. Equal requests get equal replies except for ids, which are replaced.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeSandbox } from './cairn-process.mjs'
import { loadProgram } from './product.mjs'

/** Reference date of requests without their own date. */
export const TODAY = '2026-07-31'
const LINES_PER_DELIVERY = 5_000
const UNLIMITED = { queries_per_minute: null, ingest_records_per_minute: null, max_records: null }
const ANY_ID = /\b(rec|ent|src|sbx|prj|job)_[0-9a-v]{26}\b/g

/** @typedef {(method: string, path: string, body?: unknown) => Promise<any>} Call */

/** Opens the server; `close` deletes its data. */
export async function openProgram() {
  const { openCairn, openLog, toConfig, readSecrets } = await loadProgram()
  const folder = mkdtempSync(join(tmpdir(), 'cairn-frozen-'))
  const limits = JSON.stringify({ enterprise: { ...UNLIMITED, max_storage_bytes: null } })
  const env = { CAIRN_DATA: folder, CAIRN_LIMITS: limits }
  const now = new Date(`${TODAY}T12:00:00Z`)
  const clock = { now: () => new Date(now) }
  const config = toConfig(env)
  const log = openLog('error', clock, (/** @type {string} */ line) => void process.stderr.write(line))
  const cairn = await openCairn(config, readSecrets(env, config), { clock, log })
  const key = await cairn.bootstrap()
  /** @type {Call} */
  const call = async (method, url, body) => {
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
    const headers = {
      authorization: `Bearer ${key}`,
      prefer: 'wait=60',
      ...(body !== undefined && { 'content-type': type }),
    }
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const reply = await cairn.http.inject({ method, url, headers, ...(body !== undefined && { payload }) })
    if (reply.statusCode >= 300) throw new Error(`${method} ${url} answered ${reply.statusCode}: ${reply.payload}`)
    return JSON.parse(reply.payload)
  }
  return {
    call,
    close: async () => {
      await cairn.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Creates a sandbox with the records of several sources and waits until they can be queried.
 * @param {Call} call
 * @param {string} name
 * @param {readonly { provider: string, records: readonly unknown[] }[]} sources
 */
export async function fillSandbox(call, name, sources) {
  const sandbox = await makeSandbox(call, name)
  for (const { provider, records } of sources) {
    const source = await call('POST', `${sandbox.storage}/sources`, { provider, name: provider })
    const path = `${sandbox.storage}/sources/${source.data_source_id}/records`
    for (let from = 0; from < records.length; from += LINES_PER_DELIVERY) {
      const lines = records.slice(from, from + LINES_PER_DELIVERY).map((record) => JSON.stringify(record))
      const job = await call('POST', path, lines.join('\n'))
      if (job.status !== 'completed') throw new Error(`${name} was not applied: ${JSON.stringify(job)}`)
    }
  }
  return sandbox
}

/**
 * Replaces the ids in a value: a record's by its external id if known, any other by its kind.
 * @template T
 * @param {T} value
 * @param {ReadonlyMap<string, string>} keys
 * @returns {T}
 */
export function withoutIds(value, keys) {
  const text = JSON.stringify(value).replace(ANY_ID, (id, kind) => {
    const key = keys.get(id)
    return key === undefined ? kind : JSON.stringify(`${kind}:${key}`).slice(1, -1)
  })
  return JSON.parse(text)
}
