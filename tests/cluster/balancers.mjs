// Tests the load balancer configurations of docs/scale.md with only the addresses changed. Debian's nginx and HAProxy
// run in front of two processes on one database and one S3-compatible store. Balancers that are not installed are
// skipped. Reads S3_ENDPOINT, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY from the environment.
// Usage: npm run test:balancers
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { client, makeSandbox } from '../../bench/cairn-process.mjs'
import { startNodes } from '../../bench/nodes.mjs'
import { hasStore } from '../../bench/object-store.mjs'
import { freePort } from '../harness/free-port.mjs'

const PAGE = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8')
const SANDBOXES = 16
const STARTED_MS_MAX = 30_000
/**
 * @typedef {object} Balancer
 * @property {string} program
 * @property {(file: string, folder: string) => string[]} args
 * @property {(lines: string, folder: string) => string} whole adds the configuration around the page's lines
 */

/** @type {Record<string, Balancer>} */
const BALANCERS = {
  nginx: {
    program: '/usr/sbin/nginx',
    args: (file, folder) => ['-c', file, '-p', folder, '-e', join(folder, 'error.log')],
    whole: (lines, folder) => `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
      events {}
      http {
        access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/fastcgi; uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
        ${lines}
      }`,
  },
  haproxy: { program: '/usr/sbin/haproxy', args: (file) => ['-db', '-f', file], whole: (lines) => `${lines}\n` },
}

const found = Object.entries(BALANCERS).filter(([, { program }]) => existsSync(program))
if (!hasStore || found.length === 0) {
  console.log('Skipped: it needs an S3-compatible store, and nginx or HAProxy.')
  process.exit(0)
}
// Without home nodes, only the balancer decides which process handles a request.
const cluster = await startNodes({ count: 2, delayMs: 0, hasPlaces: false, env: { CAIRN_ENCODER: 'off' } })
try {
  for (const [name] of found) await tryBalancer(name)
} finally {
  await cluster.stop()
}

/** @param {string} name */
async function tryBalancer(name) {
  const { program, args, whole } = /** @type {Balancer} */ (BALANCERS[name])
  const lines = new RegExp(`\`\`\`${name}\n(.*?)\`\`\``, 's').exec(PAGE)?.[1] ?? ''
  const port = await freePort()
  const ports = cluster.nodes.map(({ url }) => new URL(url).port)
  const own = lines
    .replace('listen 80', `listen 127.0.0.1:${port}`)
    .replace('bind :80', `bind 127.0.0.1:${port}`)
    .replace('10.0.0.3:8484', `127.0.0.1:${ports[0]}`)
    .replace('10.0.0.4:8484', `127.0.0.1:${ports[1]}`)
  const folder = mkdtempSync(join(tmpdir(), `cairn-${name}-`))
  const file = join(folder, 'config')
  writeFileSync(file, whole(own, folder))
  const balancer = spawn(program, args(file, folder), { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise((resolve) => balancer.once('exit', resolve))
  try {
    const node = { url: `http://127.0.0.1:${port}`, apiKey: cluster.nodes[0]?.apiKey ?? '' }
    await untilReady(node.url)
    const before = await graphs()
    const call = client(node)
    for (let at = 0; at < SANDBOXES; at += 1) {
      const sandbox = await makeSandbox(call, `${name} ${at}`)
      const note = { external_id: 'one', type: 'note', text: `Harbour ${at}.` }
      await call('POST', sandbox.records, { records: [note] }, { prefer: 'wait=30' })
      for (let round = 0; round < 3; round += 1) await call('POST', `${sandbox.query}/discover`, { query: 'Harbour' })
      const stream = await call(
        'POST',
        `${sandbox.query}/search`,
        { query: 'Harbour' },
        { accept: 'text/event-stream' },
      )
      if (!String(stream).includes('event: result')) throw new Error('No streamed answer came through the balancer.')
    }
    const held = (await graphs()).map((count, at) => count - (before[at] ?? 0))
    const all = held.reduce((sum, count) => sum + count, 0)
    if (all !== SANDBOXES) throw new Error(`Graphs of ${SANDBOXES} sandboxes: ${held.join(' + ')}`)
    console.log(`${name}: ${SANDBOXES} sandboxes are each answered by one of two processes: ${held.join(' + ')}`)
  } finally {
    balancer.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}

async function untilReady(/** @type {string} */ url) {
  const until = performance.now() + STARTED_MS_MAX
  while (
    !(await fetch(`${url}/healthz`)
      .then(({ ok }) => ok)
      .catch(() => false))
  ) {
    if (performance.now() > until) throw new Error('The balancer does not answer.')
    await sleep(100)
  }
}

async function graphs() {
  // Counts are refreshed once a second.
  await sleep(1_100)
  return Promise.all(
    cluster.nodes.map(async ({ url }) => {
      const text = await (await fetch(`${url}/metrics`)).text()
      return Number(/^cairn_graphs (\d+)$/m.exec(text)?.[1] ?? 0)
    }),
  )
}
