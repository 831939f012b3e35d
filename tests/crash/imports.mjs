// Kills the service with SIGKILL while imports are received, read and queued, and checks that no acknowledged import is
// lost: every job ends and counts each record once, and every record exists exactly once.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { client, makeSandbox, startCairn } from '../../bench/cairn-process.mjs'

/** Several accounts, each with the maximum number of concurrent senders, so that imports wait for each other. */
const ACCOUNTS = 4
const SENDERS = 4
/** Row counts that files cycle through: small files are read at once, large ones are accepted before they are read. */
const ROWS = [20, 4_000, 8_000]
/** Imports that are acknowledged before a kill. A random delay follows, so that kills hit different steps. */
const ACKNOWLEDGED = { least: 1, most: 12 }
const MOMENT_MS_MAX = 1_500
const POLL_MS = 500

/**
 * @param {{ folder: string, apiKey: string, random: () => number, imports: number, restMs: number }} options
 */
export async function crashImports({ folder, apiKey, random, imports, restMs }) {
  /** @type {{ name: string, records: number, job: string, tenant: Tenant }[]} */
  const acknowledged = []
  /** @type {Tenant[]} */
  let tenants = []
  let sent = 0
  let kills = 0
  while (acknowledged.length < imports) {
    const cairn = await startCairn({ folder, apiKey })
    if (tenants.length === 0) tenants = await makeTenants(cairn, folder)
    const before = acknowledged.length
    const enough = before + ACKNOWLEDGED.least + Math.floor(random() * (ACKNOWLEDGED.most - ACKNOWLEDGED.least + 1))
    const senders = tenants.flatMap((tenant) => Array.from({ length: SENDERS }, () => sendUntilKilled(cairn, tenant)))
    while (acknowledged.length < enough) await new Promise((resolve) => setTimeout(resolve, POLL_MS / 10))
    await new Promise((resolve) => setTimeout(resolve, random() * MOMENT_MS_MAX))
    await cairn.kill()
    await Promise.all(senders)
    kills += 1
    console.log(`kill ${kills}: ${acknowledged.length - before} imports acknowledged`)
  }
  await check()
  console.log(`0 of ${acknowledged.length} acknowledged imports are lost after ${kills} kills`)

  /** Sends files one after the other until the connection breaks. Only acknowledged files are checked later. */
  async function sendUntilKilled(/** @type {{ url: string }} */ cairn, /** @type {Tenant} */ tenant) {
    for (;;) {
      const rows = ROWS[sent % ROWS.length] ?? 0
      const name = `file-${++sent}.csv`
      try {
        const reply = await fetch(`${cairn.url}${tenant.storage}/import?path=${name}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'text/csv', prefer: 'wait=0' },
          body: table(name, rows),
        })
        const body = /** @type {{ job_id: string, error?: string }} */ (await reply.json())
        if (reply.ok) acknowledged.push({ name, records: rows + 1, job: body.job_id, tenant })
        else if (![429, 503].includes(reply.status)) throw new Error(`${reply.status} ${JSON.stringify(body)}`)
      } catch (error) {
        if (error instanceof TypeError || /** @type {Error} */ (error).name === 'AbortError') return
        throw error
      }
    }
  }

  /** Lets the service finish all acknowledged imports and counts their records. */
  async function check() {
    const cairn = await startCairn({ folder, apiKey })
    try {
      const deadline = performance.now() + restMs
      for (const { name, records, job, tenant } of acknowledged) {
        const { status, result, error_message: why } = await ended(cairn, tenant, job, deadline)
        const { received, written, unchanged, failed } = result
        const isWhole =
          status === 'completed' && received === records && written === records && unchanged + failed === 0
        if (!isWhole) throw new Error(`${name} of ${records} records: ${status} ${why} ${JSON.stringify(result)}`)
      }
      for (const tenant of tenants) await countRows(cairn, tenant)
    } finally {
      await cairn.stop({ keep: true })
    }
  }

  async function countRows(/** @type {{ url: string }} */ cairn, /** @type {Tenant} */ tenant) {
    /** @type {Map<string, number>} */
    const counts = new Map()
    for (const line of (await call(cairn, tenant, `${tenant.storage}/export`)).split('\n').filter(Boolean)) {
      const { kind, external_id: id } = JSON.parse(line)
      if (kind === 'record') counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    for (const { name, records } of acknowledged.filter((one) => one.tenant === tenant)) {
      const found = [...counts].filter(([id]) => id === name || id.startsWith(`${name}#`))
      const twice = found.filter(([, count]) => count > 1)
      if (found.length !== records || twice.length > 0) {
        throw new Error(`${name}: ${found.length} of ${records} records, ${twice.length} of them more than once`)
      }
    }
  }
}

/** @typedef {{ key: string, storage: string }} Tenant */

/** Resolves with the job once it has ended. */
async function ended(
  /** @type {{ url: string }} */ cairn,
  /** @type {Tenant} */ tenant,
  /** @type {string} */ job,
  /** @type {number} */ deadline,
) {
  for (;;) {
    const found = JSON.parse(await call(cairn, tenant, `${tenant.storage}/ingest/${job}`))
    if (!['queued', 'processing'].includes(found.status)) return found
    if (performance.now() > deadline) throw new Error(`${job} has not ended: ${JSON.stringify(found)}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function call(/** @type {{ url: string }} */ cairn, /** @type {Tenant} */ { key }, /** @type {string} */ path) {
  const reply = await fetch(`${cairn.url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  if (!reply.ok) throw new Error(`GET ${path}: ${reply.status} ${await reply.text()}`)
  return reply.text()
}

/** Creates accounts with one sandbox each. */
async function makeTenants(/** @type {any} */ cairn, /** @type {string} */ folder) {
  const adminKey = readFileSync(join(folder, 'admin.key'), 'utf8').trim()
  /** @type {Tenant[]} */
  const tenants = []
  for (let at = 0; at < ACCOUNTS; at += 1) {
    const asOperator = client({ ...cairn, apiKey: adminKey })
    const { key } = await asOperator('POST', '/api/v1/admin/accounts', { display_name: `Sender ${at}` })
    const { storage } = await makeSandbox(client({ ...cairn, apiKey: key }), `imports ${at}`)
    tenants.push({ key, storage })
  }
  return tenants
}

/** Returns a CSV table with distinct rows. */
function table(/** @type {string} */ name, /** @type {number} */ rows) {
  const lines = Array.from({ length: rows }, (_, at) => `${name} row ${at},Quay ${at % 7},${at}\n`)
  return `Berth,Quay,Metres\n${lines.join('')}`
}
