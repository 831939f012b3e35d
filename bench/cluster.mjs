// Measures commits on an object store: many sandboxes with one record each, and a neighbor of a sandbox whose objects
// hang. Runs a real process on the store of S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, behind a proxy
// that adds 0 or 15 ms per request and counts requests. Then measures several processes on one PostgreSQL
// (`nodes-rows.mjs`), with home nodes and without. `npm run bench:cluster [-- CHECKOUT…]`: each built checkout is
// measured alternately with this one.
import { join } from 'node:path'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'
import { measureNodes } from './nodes-rows.mjs'
import { hasStore, makeBucket, startProxy } from './object-store.mjs'
import { MAIN } from './product.mjs'

if (!hasStore) {
  console.error('Set S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to an S3-compatible store.')
  process.exit(1)
}
const DELAYS_MS = [0, 15]
const SANDBOXES = 40
const ROUNDS = 4
/** Maximum number of a neighbor's commits that are timed while one sandbox's objects hang, within a time limit. */
const NEIGHBOURS = 20
const HANG_MS = 60_000
const HALF = 0.5
const ALL = 1

const mains = [MAIN, ...process.argv.slice(2).map((checkout) => join(checkout, 'packages/server/dist/main.js'))]
console.log(
  '                                     commits/s  requests each  of which write  in flight  neighbour p50    max ms',
)
for (const delayMs of DELAYS_MS) for (const main of mains) await measure(main, delayMs)
for (const main of mains) await measureNodes(main)

/** @param {string} main @param {number} delayMs */
async function measure(main, delayMs) {
  const proxy = await startProxy(delayMs)
  const bucket = await makeBucket()
  const cairn = await startCairn({
    main,
    env: { CAIRN_LOG_LEVEL: 'silent', STORAGE_URL: `s3://${bucket}/k`, S3_ENDPOINT: proxy.url },
  })
  try {
    const call = client(cairn)
    const sandboxes = []
    for (let at = 0; at < SANDBOXES; at += 1) sandboxes.push(await makeSandbox(call, `s${at}`))
    const put = (/** @type {{ records: string }} */ { records }, /** @type {string} */ id) =>
      call(
        'POST',
        records,
        { records: [{ external_id: id, type: 'note', text: `About ${id}.` }] },
        { prefer: 'wait=60' },
      )
    await Promise.all(sandboxes.map((sandbox) => put(sandbox, 'first')))
    proxy.reset()
    const from = performance.now()
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(sandboxes.map((sandbox) => put(sandbox, `r${round}`)))
    }
    const commits = SANDBOXES * ROUNDS
    const rate = commits / ((performance.now() - from) / 1_000)
    const { requests, writes, mostInFlight } = proxy.seen()
    const [sick, well] = sandboxes
    if (!sick || !well) return
    proxy.hang(sick.id)
    const job = put(sick, 'waits').catch(() => undefined)
    const took = []
    const until = performance.now() + HANG_MS
    while (took.length < NEIGHBOURS && performance.now() < until) {
      const before = performance.now()
      await put(well, `n${took.length}`)
      took.push(performance.now() - before)
    }
    proxy.hang(undefined)
    await job
    took.sort((one, other) => one - other)
    const share = (/** @type {number} */ part) => Math.round(took[Math.floor(part * (took.length - 1))] ?? 0)
    const name = `${main === MAIN ? 'this' : main.split('/').at(-5)} +${delayMs} ms`
    const cells = [
      rate.toFixed(1),
      (requests / commits).toFixed(1),
      (writes / commits).toFixed(1),
      mostInFlight,
      share(HALF),
      share(ALL),
    ]
    console.log(name.padEnd(34), ...cells.map((cell) => String(cell).padStart(11)))
  } finally {
    await cairn.stop()
    proxy.close()
  }
}
