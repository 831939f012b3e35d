// Runs server processes on one PostgreSQL and one S3-compatible store. Kills, stops and freezes them while a network
// proxy delays, cuts, half-closes and silences connections. Writers and webhook senders repeat unacknowledged requests
// at another process. At the end every acknowledged record and delivery must exist exactly once.
// `npm run bench:chaos -- [--kills 200] [--seed 1] [--nodes 3] [--pause 20] [--folder DIR]`: the state is stored in the
// folder. After an interruption the same command continues from it, as long as the store keeps its bucket.
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../tests/harness/free-port.mjs'
import { assertAllOnce, keepAcknowledged, post } from './acknowledged.mjs'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { FAULTS, startFaultyProxy } from './faulty-proxy.mjs'
import { hasStore, makeBucket } from './object-store.mjs'
import { makeDatabase, startPostgres } from './postgres-server.mjs'
import { newApiKey } from './product.mjs'
import { seeded } from './workload.mjs'

if (!hasStore) {
  console.error('Set S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to an S3-compatible store.')
  process.exit(1)
}
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    nodes: { type: 'string', default: '3' },
    pause: { type: 'string', default: '20' },
    folder: { type: 'string', default: join(tmpdir(), 'cairn-chaos') },
  },
})
const KILLS = Number(values.kills)
const NODES = Number(values.nodes)
const SANDBOXES = 6
const WRITERS = 4
const SENDERS = 2
const BATCH_RECORDS = 20
const PAUSE_MS = Number(values.pause)
const RETRY_MS = 100
const LIFE_MS = { least: 200, most: 2_000 }
const FAULT_MS = { least: 300, most: 4_000 }
const CHECK_EVERY = 25
const START_TRIES_MAX = 30

const { folder } = values
mkdirSync(folder, { recursive: true, mode: 0o755 })
const statePath = join(folder, 'state.json')

/** @typedef {Awaited<ReturnType<typeof startCairn>>} Node */
/** @typedef {{ apiKey: string, masterKey: string }} Keys */
/** @typedef {{ webhook_url: string, webhook_signing_secret: string }} Hook */
/** @typedef {Awaited<ReturnType<typeof makeSandbox>> & { hook: Hook }} Sandbox */

/** A rejection that a retry would not change. */
class Refused extends Error {}

const isNew = !existsSync(statePath)
/** @type {{ kill: number, seed: number, bucket: string, serial: number, sandboxes: Sandbox[] } & Keys} */
const state = isNew
  ? {
      kill: 0,
      seed: Number(values.seed),
      bucket: await makeBucket(),
      apiKey: newApiKey(),
      masterKey: randomBytes(32).toString('base64'),
      serial: 0,
      sandboxes: [],
    }
  : JSON.parse(readFileSync(statePath, 'utf8'))
const kept = keepAcknowledged(join(folder, 'acknowledged.ndjson'))
const random = seeded(state.seed + state.kill)
const between = (/** @type {{ least: number, most: number }} */ { least, most }) => least + random() * (most - least)
/** @template T @param {readonly T[]} list @returns {T} */
const pick = (list) => /** @type {T} */ (list[Math.floor(random() * list.length)])

const server = await startPostgres(join(folder, 'postgres'))
if (isNew) await makeDatabase(server)
const store = new URL(process.env.S3_ENDPOINT ?? '')
const toDatabase = await startFaultyProxy({ path: server.socket })
const toStore = await startFaultyProxy({ host: store.hostname, port: Number(store.port || 80) })
const seats = []
for (let at = 0; at < NODES; at += 1) seats.push(await makeSeat(at))
const counts = { kills: 0, stops: 0, freezes: 0, faults: 0, restarts: 0, refused: 0 }
let isStopping = false
/** Error that ended a writer. @type {unknown} */
let failure
try {
  await run()
  const what = `${kept.total()} acknowledged records and deliveries`
  console.log(`${what} are there exactly once after ${state.kill} kills: ${JSON.stringify(counts)}`)
} finally {
  isStopping = true
  for (const { node } of seats) await node?.kill()
  for (const proxy of [toDatabase, toStore, ...seats.map((seat) => seat.proxy)]) proxy.close()
  await server.stop()
}
rmSync(folder, { recursive: true, force: true })

/** Creates a seat for a process: port, folder and proxy stay the same when another process replaces it. */
async function makeSeat(/** @type {number} */ at) {
  const port = await freePort()
  const proxy = await startFaultyProxy({ host: '127.0.0.1', port })
  return { port, proxy, folder: join(folder, `node${at}`), node: /** @type {Node | undefined} */ (undefined) }
}

async function run() {
  console.log(`kill ${state.kill} of ${KILLS}, seed ${state.seed}, in ${folder}`)
  for (const seat of seats) await start(seat)
  if (state.sandboxes.length === 0) await makeSandboxes()
  keepState()
  const work = [
    ...Array.from({ length: WRITERS }, (_, at) => repeat(() => write(at))),
    ...Array.from({ length: SENDERS }, () => repeat(deliver)),
  ]
  try {
    while (state.kill < KILLS && failure === undefined) await round()
  } finally {
    isStopping = true
    await Promise.all(work)
  }
  if (failure !== undefined) throw failure
  await assertAllOnce(kept.bySandbox, exportOf)
}

async function makeSandboxes() {
  const call = client(/** @type {Node} */ (seats[0]?.node))
  for (let at = 0; at < SANDBOXES; at += 1) {
    const sandbox = await makeSandbox(call, `s${at}`)
    const body = { provider: 'slack', name: 'Hook', ingestion_mode: 'realtime' }
    const config = { adapter_config: { webhook_rate_cap_per_minute: 6_000 } }
    const hook = await call('POST', `${sandbox.storage}/sources`, { ...body, ...config })
    const { webhook_url, webhook_signing_secret } = hook
    state.sandboxes.push({ ...sandbox, hook: { webhook_url, webhook_signing_secret } })
  }
}

/** Kills one process with SIGKILL during another fault, then starts it again. */
async function round() {
  const victim = pick(seats)
  const beside = goWrong(victim)
  await sleep(between(LIFE_MS))
  await victim.node?.kill()
  state.kill += 1
  counts.kills += 1
  keepState()
  await beside
  await start(victim)
  if (state.kill % CHECK_EVERY !== 0 || state.kill === KILLS) return
  await assertAllOnce(kept.bySandbox, exportOf)
  console.log(
    `kill ${state.kill}: ${kept.total()} acknowledged, all there once; ${JSON.stringify(counts)}, ` +
      `longest without an answer ${(kept.longestGapMs() / 1_000).toFixed(1)} s`,
  )
}

/** @typedef {typeof seats[number]} Seat */

async function goWrong(/** @type {Seat} */ victim) {
  const other = pick(seats.filter((seat) => seat !== victim))
  const kind = pick(['database', 'store', 'between', 'frozen', 'stopped', 'nothing'])
  if (kind === 'frozen') {
    counts.freezes += 1
    await frozen(other)
  } else if (kind === 'stopped') {
    counts.stops += 1
    await other.node?.stop({ keep: true })
    await start(other)
  } else if (kind !== 'nothing') {
    counts.faults += 1
    const proxy = { database: toDatabase, store: toStore, between: other.proxy }[kind]
    proxy?.set(pick(FAULTS))
    await sleep(between(FAULT_MS))
    proxy?.set(undefined)
  }
}

/** Freezes a process for a time around the heartbeat timeout, then continues it. */
async function frozen(/** @type {Seat} */ { node }) {
  if (!node) return
  process.kill(node.pid, 'SIGSTOP')
  await sleep(between(FAULT_MS) * 3)
  process.kill(node.pid, 'SIGCONT')
}

/** Starts a process in a seat. A process that cannot reach the database exits and is started again. */
async function start(/** @type {Seat} */ seat) {
  for (let tries = 1; ; tries += 1) {
    try {
      seat.node = await startCairn({
        folder: seat.folder,
        apiKey: state.apiKey,
        env: {
          CAIRN_LOG_LEVEL: 'silent',
          CAIRN_ENCODER: 'off',
          CAIRN_PORT: String(seat.port),
          CAIRN_NODE_URL: `http://127.0.0.1:${seat.proxy.port}`,
          CAIRN_MASTER_KEY: state.masterKey,
          DATABASE_URL: `postgresql://service@127.0.0.1:${toDatabase.port}/cairn`,
          STORAGE_URL: `s3://${state.bucket}/k`,
          S3_ENDPOINT: `http://127.0.0.1:${toStore.port}`,
        },
      })
      counts.restarts += 1
      return
    } catch (error) {
      if (tries === START_TRIES_MAX) throw error
      await sleep(500)
    }
  }
}

async function repeat(/** @type {() => Promise<void>} */ work) {
  try {
    while (!isStopping) {
      await work()
      await sleep(PAUSE_MS)
    }
  } catch (error) {
    failure ??= error
  }
}

/** Sends a request to different processes until one acknowledges it. */
async function untilAcknowledged(/** @type {(url: string) => Promise<Response>} */ send) {
  while (!isStopping) {
    const seat = pick(seats)
    try {
      const reply = await send(`http://127.0.0.1:${seat.port}`)
      await reply.arrayBuffer()
      if (reply.ok) return true
      // Retrying cannot help if the request itself is rejected.
      if (reply.status < 500 && reply.status !== 429 && reply.status !== 409) {
        throw new Refused(`${reply.status} of ${reply.url}`)
      }
    } catch (error) {
      if (error instanceof Refused) throw error
    }
    counts.refused += 1
    await sleep(RETRY_MS)
  }
  return false
}

async function write(/** @type {number} */ writer) {
  const sandbox = pick(state.sandboxes)
  const length = writer % 2 === 0 ? 1 : BATCH_RECORDS
  const ids = Array.from({ length }, () => `record${++state.serial}`)
  const records = ids.map((id) => ({
    external_id: id,
    type: 'note',
    text: `About ${id}.`,
    author: { name: `Writer ${writer}` },
  }))
  const isDone = await untilAcknowledged((url) => post(url + sandbox.records, { records }, state.apiKey))
  if (isDone) kept.add(sandbox.id, ids)
}

async function deliver() {
  const sandbox = pick(state.sandboxes)
  const serial = ++state.serial
  const event = {
    type: 'message',
    channel: 'C1',
    user: 'U1',
    text: `About delivery${serial}.`,
    ts: `${1_780_000_000 + serial}.000100`,
  }
  const body = {
    type: 'event_callback',
    event_id: `Ev${serial}`,
    team_id: 'T1',
    event_time: 1_780_000_000 + serial,
    event,
  }
  const { pathname } = new URL(sandbox.hook.webhook_url)
  const isDone = await untilAcknowledged((url) => post(url + pathname, body, sandbox.hook.webhook_signing_secret))
  if (isDone) kept.add(sandbox.id, [`delivery${serial}`])
}

/** Writes the state to a temporary file and renames it, so that an interruption leaves a complete file. */
function keepState() {
  // Ids sent after the last save may be stored, so the next run starts above them.
  writeFileSync(`${statePath}.new`, JSON.stringify({ ...state, serial: state.serial + 10_000 }))
  renameSync(`${statePath}.new`, statePath)
}

/** Returns the export of a sandbox from any process that replies. */
async function exportOf(/** @type {string} */ sandboxId) {
  for (let tries = 1; ; tries += 1) {
    try {
      const node = /** @type {Node} */ (pick(seats).node)
      return String(await client(node)('GET', `/api/v1/storage/sandboxes/${sandboxId}/export`))
    } catch (error) {
      if (tries === START_TRIES_MAX) throw error
      await sleep(500)
    }
  }
}
