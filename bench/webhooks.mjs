// Deliveries a second through the door of a running server, each on disk before its answer and applied meanwhile;
// beside it a bare Fastify server that stores each in a table of the same engine with a synced commit of its own.
// Usage: npm run bench:webhooks [-- DELIVERIES [SOURCES [IN_FLIGHT]]]
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { openSender } from './sender.mjs'
import { printTiming, timed } from './timing.mjs'

const DELIVERIES = Number(process.argv[2] ?? 60_000)
const SOURCES = Number(process.argv[3] ?? 200)
const IN_FLIGHT = Number(process.argv[4] ?? 48)
const SOURCES_PER_SANDBOX = 20
const WARM_UP = 2_000
const FLOOR = 3_000
const QUIET_MS = 500

console.log(`${'milliseconds'.padEnd(44)}     p50     p95     p99 a second`)
await measureFloor()
await measureDoor()

async function measureDoor() {
  const cairn = await startCairn({ env: { CAIRN_LIMITS: '{"enterprise":{"ingest_records_per_minute":null}}' } })
  try {
    const call = client(cairn)
    const { sources, storages } = await makeSources(call)
    const { post, close } = openSender(cairn.url, IN_FLIGHT)
    const deliver = (index) => {
      const source = sources[index % sources.length]
      return post(new URL(source.webhook_url).pathname, message(index), {
        authorization: `Bearer ${source.webhook_signing_secret}`,
      })
    }
    await timed(WARM_UP, IN_FLIGHT, (index) => deliver(index))
    const before = cairn.cpuMs()
    const figures = await timed(DELIVERIES, IN_FLIGHT, (index) => deliver(WARM_UP + index))
    const spent = (cairn.cpuMs() - before) / DELIVERIES
    printTiming(
      `the door, ${SOURCES} sources, ${IN_FLIGHT} in flight`,
      figures,
      `${spent.toFixed(2)} ms of processor each`,
    )
    const from = performance.now()
    const records = await applied(call, storages, WARM_UP + DELIVERIES)
    const behind = ((performance.now() - from) / 1000).toFixed(1)
    console.log(
      `\n${records} records of ${WARM_UP + DELIVERIES} deliveries, the last applied ${behind} s after its answer`,
    )
    close()
  } finally {
    await cairn.stop()
  }
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

/** A message of a chat, as large as they come. */
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

/** Waits until all that was delivered can be queried, and counts it. */
async function applied(call, storages, wanted) {
  for (let before = -1; ; ) {
    let records = 0
    for (const storage of storages) records += (await call('GET', `${storage}/usage`)).max_records
    if (records >= wanted || records === before) return records
    before = records
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  }
}

async function measureFloor() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./bare-insert.mjs', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const url = await new Promise((resolve) => child.stdout.once('data', (line) => resolve(String(line).trim())))
    const { post, close } = openSender(url, IN_FLIGHT)
    printTiming(
      `floor: bare Fastify, an insert each, ${IN_FLIGHT} in flight`,
      await timed(FLOOR, IN_FLIGHT, (index) => post('/', message(index), {})),
    )
    close()
  } finally {
    child.kill()
  }
}
