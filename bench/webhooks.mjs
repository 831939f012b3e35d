// Measures webhook deliveries per second to a running server, which stores each on disk before it replies and applies
// it concurrently. Runs on PGlite and on PostgreSQL (DATABASE_URL, an empty database; skipped without one). First at
// full speed with senders that wait for each reply, then at a steady rate, where latency starts at a delivery's due
// time. The baseline is a bare Fastify server that stores each delivery in a table of the same engine with its own
// synced commit. This process sends all requests over keep-alive sockets and shares the CPU. Each figure is printed
// with the CPU time of the server, of this process, and of all others, including the database.
// Usage: npm run bench:webhooks [-- DELIVERIES [SOURCES [IN_FLIGHT [PER_SECOND]]]]
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { openSender } from './sender.mjs'
import { paced, printTiming, timed } from './timing.mjs'

const DELIVERIES = Number(process.argv[2] ?? 30_000)
const SOURCES = Number(process.argv[3] ?? 200)
const IN_FLIGHT = Number(process.argv[4] ?? 48)
const PER_SECOND = Number(process.argv[5] ?? 2_000)
/** Number of connections for the steady rate; enough that none waits while replies take less than 200 ms. */
const LINES = 400
const SOURCES_PER_SANDBOX = 20
const WARM_UP = 4_000
const FLOOR = 3_000
const QUIET_MS = 500
/** Milliseconds per tick of Linux's CPU time counters. */
const MS_PER_TICK = 10

const databaseUrl = process.env.DATABASE_URL
await measure('PGlite', undefined)
if (databaseUrl) await measure('PostgreSQL', databaseUrl)
else console.log('\nPostgreSQL is skipped: set DATABASE_URL to include it.')

async function measure(engine, url) {
  console.log(`\n${`${engine}, milliseconds`.padEnd(44)}     p50     p95     p99 a second  processor ms each`)
  await measureFloor(url)
  const limits = { CAIRN_LIMITS: '{"enterprise":{"ingest_records_per_minute":null}}' }
  const env = {
    ...limits,
    DATABASE_URL: url ?? '',
    ...(url && { CAIRN_MASTER_KEY: randomBytes(32).toString('base64') }),
  }
  const cairn = await startCairn({ env })
  try {
    await measureDoor(cairn)
  } finally {
    await cairn.stop()
  }
}

async function measureDoor(cairn) {
  const call = client(cairn)
  const { sources, storages } = await makeSources(call)
  const { post, close } = openSender(cairn.url, Math.max(LINES, IN_FLIGHT))
  let sent = 0
  const deliver = () => {
    const index = sent++
    const source = sources[index % sources.length]
    return post(new URL(source.webhook_url).pathname, message(index), {
      authorization: `Bearer ${source.webhook_signing_secret}`,
    })
  }
  await timed(WARM_UP, IN_FLIGHT, deliver)
  await settled(call, storages, sent)
  const asked = `the door, ${SOURCES} sources, ${IN_FLIGHT} in flight`
  await printed(cairn, asked, () => timed(DELIVERIES, IN_FLIGHT, deliver))
  await settled(call, storages, sent)
  const steady = `the door, ${SOURCES} sources, ${PER_SECOND} a second`
  await printed(cairn, steady, () => paced(DELIVERIES, PER_SECOND, LINES, deliver))
  const from = performance.now()
  const records = await settled(call, storages, sent)
  const behind = ((performance.now() - from) / 1000).toFixed(1)
  console.log(`${records} records of ${sent} deliveries, the last applied ${behind} s after its answer`)
  close()
}

/** Runs a measurement and prints it with the CPU time per delivery. */
async function printed(cairn, name, run) {
  const spent = () => ({ all: busyMs(), server: cairn.cpuMs(), own: ownMs() })
  const before = spent()
  const figures = await run()
  const after = spent()
  const [all, server, own] = ['all', 'server', 'own'].map((who) => (after[who] - before[who]) / DELIVERIES)
  const others = Math.max(0, all - server - own)
  const said = `server ${server.toFixed(2)}, sender ${own.toFixed(2)}, others ${others.toFixed(2)}`
  printTiming(name, figures, said)
}

function ownMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the total CPU time of the machine since boot, in milliseconds. */
function busyMs() {
  const [, user, nice, system, , , irq, softIrq] = readFileSync('/proc/stat', 'utf8').split('\n')[0].split(/\s+/)
  return [user, nice, system, irq, softIrq].reduce((sum, ticks) => sum + Number(ticks), 0) * MS_PER_TICK
}

async function makeSources(call) {
  const sources = []
  const storages = []
  for (let made = 0; made < SOURCES; made += SOURCES_PER_SANDBOX) {
    const { storage } = await makeSandbox(call, `webhooks ${made}`)
    storages.push(storage)
    for (let at = made; at < Math.min(SOURCES, made + SOURCES_PER_SANDBOX); at++) {
      const body = { provider: 'slack', name: `Hook ${at}`, ingestion_mode: 'realtime' }
      const config = { adapter_config: { webhook_rate_cap_per_minute: 6000 } }
      sources.push(await call('POST', `${storage}/sources`, { ...body, ...config }))
    }
  }
  return { sources, storages }
}

/** Returns a chat message event of typical size. */
function message(index) {
  const second = 1_780_000_000 + index
  return JSON.stringify({
    type: 'event_callback',
    event_id: `Ev${index}`,
    team_id: 'T0BENCH',
    event_time: second,
    event: {
      type: 'message',
      channel: `C${index % 40}`,
      user: `U${index % 90}`,
      text: `Deploy ${index} of <https://code.example/acme/api/pull/${index % 500}|api#${index % 500}> is out, <@U${
        index % 7
      }> watches the error rate until the evening and reports here.`,
      ts: `${second}.000100`,
      channel_type: 'channel',
    },
  })
}

/** Waits until all deliveries can be queried, and counts them. */
async function settled(call, storages, wanted) {
  for (let before = -1; ; ) {
    let records = 0
    for (const storage of storages) records += (await call('GET', `${storage}/usage`)).max_records
    if (records >= wanted || records === before) return records
    before = records
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  }
}

async function measureFloor(url) {
  const path = fileURLToPath(new URL('./bare-insert.mjs', import.meta.url))
  const child = spawn(process.execPath, url ? [path, url] : [path], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const address = await new Promise((resolve) => child.stdout.once('data', (line) => resolve(String(line).trim())))
    const { post, close } = openSender(address, IN_FLIGHT)
    printTiming(
      `floor: bare Fastify, an insert each, ${IN_FLIGHT} in flight`,
      await timed(FLOOR, IN_FLIGHT, (index) => post('/', message(index), {})),
    )
    close()
  } finally {
    child.kill()
  }
}
