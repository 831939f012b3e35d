// Kills the service with SIGKILL at random moments while clients write, restarts it, and checks that every record that
// was acknowledged exists exactly once. Then does the same with imports.
// Usage: npm run test:crash [-- KILLS [SEED [IMPORTS]]]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { client, makeSandbox, startCairn } from '../../bench/cairn-process.mjs'
import { seeded } from '../../bench/workload.mjs'
import { newApiKey } from '../../packages/server/dist/tenancy/accounts/key-format.js'
import { crashImports } from './imports.mjs'

const KILLS = Number(process.argv[2] ?? 50)
const SEED = Number(process.argv[3] ?? Math.floor(performance.timeOrigin % 1_000_000))
const IMPORTS = Number(process.argv[4] ?? 200)
const WRITERS = 6
const BATCH_RECORDS = 40
const LIFE_MS = { least: 150, most: 1_500 }
const SETTLE_MS = 60_000
/** Resuming hundreds of interrupted imports takes minutes on a busy machine. */
const IMPORTS_SETTLE_MS = 30 * 60_000

const random = seeded(SEED)
const folder = mkdtempSync(join(tmpdir(), 'cairn-crash-'))
const apiKey = newApiKey()
const acknowledged = new Set()
let sandbox
let written = 0
console.log(`${KILLS} kills, seed ${SEED}`)
try {
  for (let kill = 1; kill <= KILLS; kill++) {
    const cairn = await startCairn({ folder, apiKey })
    sandbox ??= await makeSandbox(client(cairn), 'crash')
    const before = acknowledged.size
    const writers = Array.from({ length: WRITERS }, (_, at) => writeUntilKilled(cairn, at))
    const life = LIFE_MS.least + random() * (LIFE_MS.most - LIFE_MS.least)
    await new Promise((resolve) => setTimeout(resolve, life))
    await cairn.kill()
    await Promise.all(writers)
    console.log(`kill ${kill} after ${life.toFixed(0)} ms: ${acknowledged.size - before} records acknowledged`)
    if (kill % 10 === 0 || kill === KILLS) await check()
  }
  console.log(`${acknowledged.size} acknowledged records are there exactly once after ${KILLS} kills`)
  if (IMPORTS > 0) await crashImports({ folder, apiKey, random, imports: IMPORTS, restMs: IMPORTS_SETTLE_MS })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Writes single records, batches and streams until the connection breaks. The outcome of unacknowledged writes is
 * unknown.
 */
async function writeUntilKilled(cairn, writer) {
  const call = client(cairn)
  for (;;) {
    const count = writer % 2 === 0 ? 1 : BATCH_RECORDS
    const records = Array.from({ length: count }, () => ({
      external_id: `record-${++written}`,
      type: 'note',
      text: `Number ${written} was written by ${writer}.`,
      author: { name: `Writer ${writer}`, identifiers: { login: `writer${writer}` } },
    }))
    const body = writer % 3 === 0 ? records.map((record) => JSON.stringify(record)).join('\n') : { records }
    try {
      await call('POST', sandbox.records, body)
    } catch {
      return
    }
    for (const { external_id: id } of records) acknowledged.add(id)
  }
}

/** Restarts the service and fails unless an export contains every acknowledged record exactly once. */
async function check() {
  const cairn = await startCairn({ folder, apiKey })
  try {
    const deadline = performance.now() + SETTLE_MS
    for (;;) {
      const counts = await countExported(client(cairn))
      const missing = [...acknowledged].filter((id) => !counts.has(id))
      const twice = [...counts].filter(([, count]) => count > 1)
      if (twice.length > 0) throw new Error(`${twice.length} records are there more than once, such as ${twice[0]}`)
      if (missing.length === 0) return
      if (performance.now() > deadline) {
        throw new Error(
          `${missing.length} acknowledged records are missing, such as ${missing.slice(0, 3)} (seed ${SEED})`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  } finally {
    await cairn.stop({ keep: true })
  }
}

async function countExported(call) {
  const counts = new Map()
  const text = await call('GET', `${sandbox.storage}/export`)
  for (const line of text.split('\n').filter(Boolean)) {
    const { kind, external_id: id } = JSON.parse(line)
    if (kind === 'record') counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}
