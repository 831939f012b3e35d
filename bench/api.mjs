// Compares the storage API with a bare Fastify route that runs the same statements in the same transactions on the same
// engine. Measures create, get, list and patch of sandboxes with 1 and 32 concurrent requests, on PGlite and on
// PostgreSQL (DATABASE_URL, an empty database; skipped without one). Then measures a page at the start and at the end
// of 10,000 sandboxes.
// Usage: npm run bench:api [-- REQUESTS_IN_A_ROUND]
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { client, startCairn } from './cairn-process.mjs'
import { printTiming, timed } from './timing.mjs'

const REQUESTS = Number(process.argv[2] ?? 200)
/** Number of rounds. Many short ones, so that other load on the machine affects both sides equally. */
const ROUNDS = 15
const WARM_UP = 100
const IN_FLIGHT = [1, 32]
const PAGE = 20
const LISTED = 10_000
const LISTED_PAGE = 100
const SANDBOXES = '/api/v1/storage/sandboxes'
/** Minimum throughput as a share of the bare route's. */
const TARGETS = { get: 0.6, list: 0.6, create: 0.5, patch: 0.5 }

const databaseUrl = process.env.DATABASE_URL
await measure('PGlite', undefined)
if (databaseUrl) await measure('PostgreSQL', databaseUrl)
else console.log('\nPostgreSQL is skipped: set DATABASE_URL to include it.')

async function measure(engine, url) {
  console.log(`\n${`${engine}, milliseconds`.padEnd(44)}     p50     p95     p99 a second`)
  const env = { DATABASE_URL: url ?? '', ...(url && { CAIRN_MASTER_KEY: randomBytes(32).toString('base64') }) }
  const cairn = await startCairn({ env })
  const bareFolder = mkdtempSync(join(tmpdir(), 'cairn-bare-'))
  try {
    const call = client(cairn)
    const { user_id: userId } = await call('GET', '/api/v1/users/me/profile')
    const own = routes(cairn.url + SANDBOXES, cairn.apiKey)
    // PGlite allows one process, so the bare route has its own database with an account of the same id.
    const bare = await startBare(url ?? join(bareFolder, 'sql'), userId)
    try {
      await compare(own, routes(`${bare.url}/sandboxes`, 'none'))
    } finally {
      await bare.stop()
    }
    await pages(call)
  } finally {
    await cairn.stop()
    rmSync(bareFolder, { recursive: true, force: true })
  }
}

/** Runs both sides alternately, so that other load affects both, and prints the median round of each. */
async function compare(own, bare) {
  for (const each of [own, bare]) await each.fill(WARM_UP)
  for (const inFlight of IN_FLIGHT) {
    for (const name of ['create', 'get', 'list', 'patch']) {
      const rounds = []
      for (let round = 0; round < ROUNDS; round++) {
        const floor = await timed(REQUESTS, inFlight, bare[name])
        const ours = await timed(REQUESTS, inFlight, own[name])
        rounds.push({ floor, ours, share: ours.perSecond / floor.perSecond })
      }
      const share = median(rounds, (round) => round.share).share
      const middle = (side) => median(rounds, (round) => round[side].perSecond)[side]
      printTiming(`bare route: ${name}, ${inFlight} in flight`, middle('floor'))
      const verdict = share >= TARGETS[name] ? '' : `, below the target of ${TARGETS[name] * 100} %`
      const said = `${(share * 100).toFixed(0)} % of the bare route${verdict}`
      printTiming(`${name}, ${inFlight} in flight`, middle('ours'), said)
    }
  }
  for (const each of [own, bare]) each.close()
}

function median(rounds, measure) {
  return rounds.toSorted((one, other) => measure(one) - measure(other))[Math.floor(rounds.length / 2)]
}

/** Returns the four operations as functions that use keep-alive connections. */
function routes(base, apiKey) {
  const agent = new Agent({ keepAlive: true, maxSockets: Math.max(...IN_FLIGHT) })
  const { hostname, port, pathname } = new URL(base)
  const send = (method, path, body) =>
    new Promise((resolve, reject) => {
      const payload = body && Buffer.from(JSON.stringify(body))
      const headers = {
        authorization: `Bearer ${apiKey}`,
        ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
      }
      const sent = request({ agent, hostname, port, method, path: pathname + path, headers }, (reply) => {
        const chunks = []
        reply.on('data', (chunk) => chunks.push(chunk))
        reply.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if ((reply.statusCode ?? 500) < 300) resolve(text)
          else reject(new Error(`${method} ${path} answered ${reply.statusCode}: ${text.slice(0, 300)}`))
        })
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  // On PostgreSQL both sides use one database, in which names are unique.
  const side = randomBytes(4).toString('hex')
  let made = 0
  const ids = []
  const create = async () => {
    const text = await send('POST', '', { name: `Sandbox ${side} ${made++}`, owner_id: 'bench' })
    if (ids.length < WARM_UP) ids.push(JSON.parse(text).sandbox_id)
  }
  const one = (index) => `/${ids[index % ids.length]}`
  return {
    create,
    get: (index) => send('GET', one(index)),
    list: () => send('GET', `?limit=${PAGE}`),
    patch: (index) => send('PATCH', one(index), { name: `Renamed ${side} ${made++}` }),
    fill: (count) => timed(count, 4, create),
    close: () => agent.destroy(),
  }
}

async function startBare(place, userId) {
  const path = fileURLToPath(new URL('./bare-route.mjs', import.meta.url))
  const child = spawn(process.execPath, [path, place, userId], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim().replace('listening on ', '')))
    child.once('exit', (code) => reject(new Error(`the bare route ended with ${code}`)))
  })
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
  return { url, stop }
}

/** Measures the first and the last pages of many sandboxes. */
async function pages(call) {
  const { count } = await call('GET', `${SANDBOXES}?limit=1000`)
  const missing = Math.max(0, LISTED - count)
  await timed(missing, 16, (index) => call('POST', SANDBOXES, { name: `Listed ${index}`, owner_id: 'listed' }))
  const durations = []
  for (let cursor = ''; cursor !== undefined; ) {
    const from = performance.now()
    const page = await call('GET', `${SANDBOXES}?limit=${LISTED_PAGE}${cursor && `&cursor=${cursor}`}`)
    durations.push(performance.now() - from)
    cursor = page.next_cursor
  }
  const tenth = Math.floor(durations.length / 10)
  const middle = (list) => list.toSorted((one, other) => one - other)[Math.floor(list.length / 2)]
  // Skip the very first page, which includes the cold start.
  const [first, last] = [middle(durations.slice(1, tenth + 1)), middle(durations.slice(-tenth - 1, -1))]
  console.log(
    `a page of ${LISTED_PAGE} of ${LISTED} or more sandboxes: ${first.toFixed(1)} ms at the start, ` +
      `${last.toFixed(1)} ms at the end`,
  )
}
