import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { pickHomeNode } from '../../../packages/server/src/store/cluster/pick-home-node.ts'
import { newApiKey } from '../../../packages/server/src/tenancy/accounts/key-format.ts'
import { addressOf, type Child, startProgram } from '../../harness/child.ts'
import { freePort } from '../../harness/free-port.mjs'
import { BUCKET, openObjectStore } from '../../harness/object-store.ts'
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from '../../harness/otlp-receiver.ts'
import { newDatabase } from '../../harness/postgres.ts'

const WAIT = { interval: 100 }
const SAID = 'canary-said-77c2'
const KEY = newApiKey()
const CALLER = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }
const TOKEN = 'canary-token-5e1b'
/** Preloaded script that reports which modules of the SDK are loaded. Only the API is always loaded. */
const SAYS_WHAT_IS_LOADED = `const Module = require('node:module')
const load = Module._load
Module._load = function (name, ...rest) {
  const [found] = /@opentelemetry.(?!api)[a-z-]+/.exec(name) ?? []
  if (found) process.stderr.write('loaded ' + found + '\\n')
  return load.call(this, name, ...rest)
}`

let receiver: OtlpReceiver
const folders: string[] = []
let children: Child[] = []
beforeAll(async () => {
  receiver = await openOtlpReceiver()
})
afterEach(async () => {
  for (const child of children) child.process.kill('SIGKILL')
  await Promise.all(children.map(({ ended }) => ended))
  children = []
})
afterAll(async () => {
  await receiver.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

async function serve(settings: Record<string, string> = {}): Promise<{ child: Child; url: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-telemetry-'))
  folders.push(folder)
  const child = startProgram([], {
    CAIRN_DATA: folder,
    CAIRN_BOOTSTRAP_API_KEY: KEY,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-token=${TOKEN}`,
    OTEL_METRIC_EXPORT_INTERVAL: '500',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    OTEL_SERVICE_NAME: 'cairn-of-the-test',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    ...settings,
  })
  children.push(child)
  return { child, url: await addressOf(child) }
}

function callAt(url: string) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${KEY}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: (await reply.json()) as Record<string, string> }
  }
}

const named = (name: string, where: (span: ReceivedSpan) => boolean = () => true) =>
  receiver.spans.filter((span) => span.name === name && where(span))
const SEARCH = 'POST /api/v1/query/sandboxes/:sandbox_id/search'

it('a collector gets requests, their work and the metrics of /metrics, without any content', async () => {
  const { child, url } = await serve()
  const call = callAt(url)
  const { body: sandbox } = await call('POST', '/api/v1/storage/sandboxes', { name: SAID, owner_id: SAID })
  const storage = `/api/v1/storage/sandboxes/${sandbox.sandbox_id}`
  const { body: source } = await call('POST', `${storage}/sources`, { provider: 'slack', name: SAID })
  const path = `${storage}/sources/${source.data_source_id}/records`
  const records = [{ external_id: SAID, type: 'message', text: `${SAID} is said.` }]
  const put = await call('POST', path, { records }, { prefer: 'wait=30' })
  expect(put.status).toBeLessThan(300)
  const asked = { traceparent: `00-${CALLER.trace}-${CALLER.span}-01` }
  const query = `/api/v1/query/sandboxes/${sandbox.sandbox_id}`
  expect((await call('POST', `${query}/search?${SAID}=1`, { query: SAID }, asked)).status).toBeLessThan(500)
  expect((await call('GET', `${storage}/sources/${SAID}`)).status).toBe(404)
  await call('GET', '/healthz')

  // The request continues the caller's trace and contains the work done for it.
  await expect.poll(() => named(SEARCH).length, WAIT).toBe(1)
  const [search] = named(SEARCH)
  expect(search).toMatchObject({ traceId: CALLER.trace, parentId: CALLER.span, kind: 2 })
  expect(search!.attributes).toMatchObject({ 'http.request.method': 'POST', 'url.scheme': 'http' })
  expect(search!.resource).toMatchObject({
    'service.name': 'cairn-of-the-test',
    'service.version': expect.any(String),
    'service.instance.id': expect.any(String),
    'deployment.environment.name': 'test',
  })
  await expect
    .poll(() => named('database.look', ({ traceId }) => traceId === CALLER.trace).length, WAIT)
    .toBeGreaterThan(0)
  for (const span of receiver.spans.filter(({ traceId }) => traceId === CALLER.trace)) {
    const isPart = receiver.spans.some(({ spanId }) => spanId === span.parentId)
    expect(isPart || span.parentId === CALLER.span, span.name).toBe(true)
  }
  // A worker starts its own trace; idle polling has none.
  await expect.poll(() => named('batch.apply').length, WAIT).toBeGreaterThan(0)
  const batch = named('batch.apply').find(
    ({ traceId }) => named('store.commit', (one) => one.traceId === traceId).length,
  )
  expect(batch?.parentId).toBe('')
  expect(named('database.look', ({ parentId }) => parentId === '')).toEqual([])
  expect(receiver.spans.filter(({ name }) => name.includes('healthz'))).toEqual([])
  const missed = () => named('GET /api/v1/storage/sandboxes/:sandbox_id/sources/:source_id')
  await expect.poll(() => missed().length, WAIT).toBe(1)
  const [missing] = missed()
  expect(missing?.attributes).toMatchObject({ 'http.response.status_code': 404, 'error.type': 'not_found' })
  expect(missing?.status).toBe(0)

  // OTLP exports the metrics of /metrics: the same names, labels and values.
  const point = (name: string, attributes: object = {}) =>
    receiver.points.find(
      (one) => one.name === name && Object.entries(attributes).every(([k, v]) => one.attributes[k] === v),
    )
  await expect.poll(() => point('cairn_records_total', { outcome: 'written' })?.value, WAIT).toBe(1)
  const printed = await (await fetch(`${url}/metrics`)).text()
  const lines = printed.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const names = new Set(lines.map((line) => line.replace(/[ {].*/, '').replace(/_(?:bucket|sum|count)$/, '')))
  const exported = new Set(receiver.points.map(({ name }) => name))
  expect([...names].filter((name) => !exported.has(name) && !exported.has(`${name}_count`))).toEqual([])
  const commits = point('cairn_work_duration_seconds', { work: 'store.commit', outcome: 'done' })
  expect(commits).toMatchObject({ type: 'histogram', unit: 's', value: expect.any(Number) })
  expect(commits!.bucketCounts!.reduce((sum, count) => sum + count, 0)).toBe(commits!.value)
  expect(commits!.bucketCounts).toHaveLength(commits!.bounds!.length + 1)
  expect(point('cairn_graph_max_bytes')).toMatchObject({ type: 'gauge', unit: 'By' })
  expect(point('cairn_records_total')?.type).toBe('sum')

  expect(receiver.headers.every((headers) => headers['x-collector-token'] === TOKEN)).toBe(true)
  const everything = Buffer.concat(receiver.received).toString('latin1')
  for (const secret of [SAID, KEY, TOKEN, sandbox.sandbox_id!]) expect(everything.includes(secret), secret).toBe(false)
  child.process.kill('SIGTERM')
  expect(await child.ended).toBe(0)
})

it('a request forwarded between processes is one trace', async () => {
  const store = await openObjectStore()
  const { target } = (await newDatabase('postgres')) as { target: { url: string } }
  const ports = [await freePort(), await freePort()]
  const nodes = ports.map((port) => `http://127.0.0.1:${port}`)
  const shared = {
    DATABASE_URL: target.url,
    STORAGE_URL: `s3://${BUCKET}/telemetry`,
    S3_ENDPOINT: store.endpoint,
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'secret',
    CAIRN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    CAIRN_METRICS_OPEN: 'on',
  }
  try {
    for (const [at, url] of nodes.entries()) {
      await serve({ ...shared, CAIRN_PORT: String(ports[at]), CAIRN_NODE_URL: url })
    }
    const heard = async () => (await fetch(`${nodes[0]}/metrics`)).text()
    await expect.poll(heard, WAIT).toMatch(/^cairn_nodes 2$/m)
    const call = callAt(nodes[0]!)
    const { body: sandbox } = await call('POST', '/api/v1/storage/sandboxes', { name: 'Sent on', owner_id: 'one' })
    const place = pickHomeNode(
      sandbox.sandbox_id!,
      nodes.map((url) => ({ id: url, url })),
    )!.url
    const other = nodes.find((url) => url !== place)!
    receiver.spans.length = 0
    const path = `/api/v1/query/sandboxes/${sandbox.sandbox_id}/search`
    expect((await callAt(other)('POST', path, { query: 'anything' })).status).toBe(200)
    await expect.poll(() => named(SEARCH).length, WAIT).toBe(2)
    await expect.poll(() => named('request.forward').length, WAIT).toBe(1)
    const [forward] = named('request.forward')
    const sender = named(SEARCH).find(({ spanId }) => spanId === forward!.parentId)
    const answering = named(SEARCH).find(({ parentId }) => parentId === forward!.spanId)
    expect(new Set([forward, sender, answering].map((span) => span?.traceId)).size).toBe(1)
    const instances = [sender, answering].map((span) => span!.resource['service.instance.id'])
    expect(new Set(instances).size).toBe(2)
  } finally {
    await store.close()
  }
})

it('the SDK is not loaded without a collector, and an unreachable one blocks nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-loads-'))
  folders.push(folder)
  const hook = join(folder, 'hook.cjs')
  writeFileSync(hook, SAYS_WHAT_IS_LOADED)
  const hooked = { NODE_OPTIONS: `--require ${hook}` }
  const without = await serve({ ...hooked, OTEL_EXPORTER_OTLP_ENDPOINT: '' })
  expect((await callAt(without.url)('GET', '/api/v1/storage/sandboxes')).status).toBe(200)
  expect(without.child.printed()).not.toContain('loaded @opentelemetry')

  const away = await serve({ ...hooked, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  expect(away.child.printed()).toContain('loaded @opentelemetry/sdk-metrics')
  expect((await callAt(away.url)('GET', '/api/v1/storage/sandboxes')).status).toBe(200)
  await away.child.untilPrinted(/traces or metrics could not be exported to the collector/)
  away.child.process.kill('SIGTERM')
  expect(await away.child.ended).toBe(0)
})
