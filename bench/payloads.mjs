// Replays recorded payloads of real products through the webhook endpoint of a running server. Reports accepted
// payloads, resulting records and their fields, reported outcomes, and the changes of a second replay.
// Usage: npm run bench:payloads -- DIR
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { client, makeSandbox, startCairn } from './cairn-process.mjs'

const folder = process.argv[2]
if (!folder || !existsSync(folder)) {
  console.log(
    'This benchmark replays recorded payloads, which are not part of the project. Usage: npm run bench:payloads -- DIR',
  )
  process.exit(folder ? 1 : 0)
}
const VERBOSE = process.argv.includes('--missing')
/** Record linkage runs once nothing has arrived for a second, so the data is stable only after a longer time. */
const IDLE_MS = 1_000

/** Files with webhook payloads among other test files. */
const RECORDED_HOOK = new RegExp(
  [
    'testdata/(?:github|gitlab|gitea)/',
    '/(?:github|gitlab)/testdata/webhooks',
    'testdata/(?:webhooks|systemhooks)',
  ].join('|'),
)

const cairn = await startCairn()
const call = client(cairn)
try {
  for (const set of [...github(), ...slack(), ...linear(), ...codeHosts(), ...jira(), ...email()]) await replay(set)
} finally {
  await cairn.stop()
}

/** Replays a set of payloads twice into a separate sandbox and prints the outcome. */
async function replay({ name, provider, payloads }) {
  if (payloads.length === 0) return
  const sandbox = await makeSandbox(call, name)
  const source = await call('POST', `${sandbox.storage}/sources`, {
    provider,
    name,
    ingestion_mode: 'realtime',
    adapter_config: { webhook_rate_cap_per_minute: 6000 },
  })
  const events = new Map()
  for (const payload of payloads) {
    const event = events.get(payload.event) ?? { sent: 0, accepted: 0, records: [] }
    events.set(payload.event, event)
    event.sent += 1
    const status = await send(source, payload, `${payload.event} ${digest(payload.body)}`)
    if (status === 204 || status === 200) event.accepted += 1
    else console.log(`  ${status} for ${payload.event}`)
  }
  const first = await settled(sandbox)
  const fates = await fatesOf(sandbox, source)
  for (const payload of payloads) await send(source, payload, `${payload.event} ${digest(payload.body)}`)
  const second = await settled(sandbox)
  // With new ids these are new events: all changes happen again, and deleted records are recreated.
  for (const payload of payloads) await send(source, payload, `again ${payload.event} ${digest(payload.body)}`)
  const third = await settled(sandbox)
  report(name, events, first, second, third)
  console.log(`  of the first time: ${fates}`)
}

async function send(source, { headers = {}, body, type = 'application/json' }, id) {
  const { pathname } = new URL(source.webhook_url)
  const reply = await fetch(cairn.url + pathname, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${source.webhook_signing_secret}`,
      'content-type': type,
      'webhook-id': id,
      ...headers,
    },
    body,
  })
  await reply.arrayBuffer()
  return reply.status
}

/** Returns the number of a source's deliveries by outcome and reason. */
async function fatesOf(sandbox, source) {
  const { deliveries } = await call('GET', `${sandbox.storage}/sources/${source.data_source_id}/deliveries`)
  const counts = new Map()
  for (const { fate, reason } of deliveries) {
    const said = reason === null ? fate : `${fate} (${reason})`
    counts.set(said, (counts.get(said) ?? 0) + 1)
  }
  return [...counts].map(([said, count]) => `${count} ${said}`).join(', ')
}

/** Returns the export of the sandbox once it no longer changes. */
async function settled(sandbox) {
  for (let before = '', quiet = 0; ; ) {
    const now = await call('GET', `${sandbox.storage}/export`)
    quiet = now === before ? quiet + 1 : 0
    if (quiet >= 3)
      return now
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    before = now
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  }
}

function report(name, events, first, second, third) {
  const records = first.filter(({ kind }) => kind === 'record')
  const entities = first.filter(({ kind }) => kind === 'entity')
  const sent = sum([...events.values()].map((event) => event.sent))
  const accepted = sum([...events.values()].map((event) => event.accepted))
  console.log(`\n${name}: ${accepted} of ${sent} accepted, ${records.length} records, ${entities.length} entities`)
  const byType = Map.groupBy ? Map.groupBy(records, ({ type }) => type) : groupBy(records)
  const share = (list, has) => `${Math.round((100 * list.filter(has).length) / list.length)} %`.padStart(6)
  console.log(`  ${'type'.padEnd(18)}${'records'.padStart(8)}  author  time   text   url    entities relations`)
  for (const [type, list] of [...byType].sort()) {
    const cells = [
      share(list, ({ author }) => author),
      share(list, ({ occurred_at: at }) => at),
      share(list, ({ title, text }) => title || text),
      share(list, ({ url }) => url),
      share(list, ({ entities: own }) => own?.length > 0),
      share(list, ({ relations }) => relations?.length > 0),
    ]
    console.log(`  ${type.padEnd(18)}${String(list.length).padStart(8)}  ${cells.join(' ')}`)
    if (VERBOSE) {
      for (const record of list) {
        const missing = ['author', 'occurred_at', 'url'].filter((part) => !record[part])
        if (missing.length > 0) console.log(`    ${record.external_id}: no ${missing.join(', ')}`)
      }
    }
  }
  const said = (lines) => (lines === 0 ? 'nothing' : `${lines} lines`)
  console.log(
    `  a replay changed ${said(difference(first, second))}, new events of the same ${said(difference(second, third))}`,
  )
}

function difference(first, second) {
  const before = new Set(first.map((line) => JSON.stringify(line)))
  return second.filter((line) => !before.has(JSON.stringify(line))).length + Math.abs(first.length - second.length)
}

function groupBy(records) {
  const groups = new Map()
  for (const record of records) groups.set(record.type, [...(groups.get(record.type) ?? []), record])
  return groups
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}

function digest(body) {
  return createHash('sha256').update(body).digest('hex')
}

/** Returns the rows of a payload file; none if it does not exist. */
function rows(path) {
  const whole = join(folder, path)
  if (!existsSync(whole)) return []
  const bytes = readFileSync(whole)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

function bodyOf({ raw, enc }) {
  return enc === 'base64' ? Buffer.from(raw, 'base64') : Buffer.from(raw)
}

function isObject(row) {
  try {
    const value = JSON.parse(row.raw)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function github() {
  const payloads = rows('github/webhooks.jsonl.gz').map((row) => {
    const event = row.path.split('/').at(-2)
    return { event, headers: { 'x-github-event': event }, body: bodyOf(row) }
  })
  return [{ name: 'GitHub', provider: 'github', payloads }]
}

function slack() {
  const payloads = rows('slack/skeletons.jsonl.gz')
    .filter(({ path }) => path.includes('/events/'))
    .map((row) => ({ event: basename(row.path, '.json'), body: filled(row.raw) }))
  return [{ name: 'Slack (shapes, with values put in)', provider: 'slack', payloads }]
}

/** Fills payload schemas, which lack values, with sample values so that there is something to map. */
function filled(raw) {
  let count = 0
  return JSON.stringify(
    JSON.parse(raw, (key, value) => {
      if (value === '') {
        count += 1
        if (/^(ts|event_ts|thread_ts|deleted_ts|cache_ts)$/.test(key))
          return `17778888${String(count).padStart(2, '0')}.000100`
        if (/^(user|user_id|creator)$/.test(key)) return 'U0AAAAAA1'
        return key === 'channel' || key === 'channel_id' ? 'C0AAAAAA1' : `value ${key}`
      }
      return value
    }),
  )
}

function linear() {
  const payloads = rows('linear/webhooks.jsonl').map(({ type, action, payload }) => ({
    event: `${type}.${action}`,
    body: JSON.stringify(payload),
  }))
  return [{ name: 'Linear', provider: 'linear', payloads }]
}

function codeHosts() {
  const all = rows('code-hosts/payloads.jsonl.gz').filter((row) => RECORDED_HOOK.test(row.path) && isObject(row))
  const isGitlab = ({ repo, path }) => path.includes('gitlab') || repo.includes('gitlab')
  const isGithub = ({ path }) => path.includes('github')
  const toPayload = (row) => ({ event: basename(row.path, '.json'), body: bodyOf(row) })
  return [
    { name: 'GitLab', provider: 'gitlab', payloads: all.filter(isGitlab).map(toPayload) },
    {
      name: 'GitHub, recorded by others, without headers',
      provider: 'github',
      payloads: all.filter(isGithub).map(toPayload),
    },
    {
      name: 'Other code hosts, without a connector',
      provider: 'code-host',
      payloads: all.filter((row) => !isGitlab(row) && !isGithub(row)).map(toPayload),
    },
  ]
}

function jira() {
  const payloads = rows('jira/payloads.jsonl.gz')
    .filter((row) => basename(row.path).startsWith('webhook') && isObject(row))
    .map((row) => ({ event: JSON.parse(row.raw).webhookEvent ?? 'unnamed', body: bodyOf(row) }))
  return [{ name: 'Jira', provider: 'jira', payloads }]
}

function email() {
  const payloads = rows('email/stalwart.jsonl.gz')
    .filter(({ path }) => path.endsWith('.eml'))
    .map((row) => ({ event: 'mail', body: bodyOf(row), type: 'message/rfc822' }))
  return [{ name: 'E-mail', provider: 'email', payloads }]
}
