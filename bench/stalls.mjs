// Measures the longest time that the event loop is blocked during expensive work: imports of archives and mail, many
// streamed questions, rejected queries of a model, ingest. A real process is polled at /healthz every 20 ms. Wall time
// is printed with the CPU time of the longest block, which other load does not increase.
// Usage: npm run bench:stalls [-- CASE…]; FILES=60000 and MAILS=200000 for other sizes, PROFILE=on prints what ran
// during the longest block.
import { createServer } from 'node:http'
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { FIGURES, openLoopWatch } from './loop-watch.mjs'
import { openWorkload } from './workload.mjs'
import { zipOf } from './zip.mjs'

const IDLE_MS = 3_000
const FILES = Number(process.env.FILES ?? 20_000)
const MAILS = Number(process.env.MAILS ?? 20_000)
const RECORDS = Number(process.env.RECORDS ?? 20_000)
const STREAMS = 60
const QUERIES = 24
const only = process.argv.slice(2)

const loop = openLoopWatch()
const model = await startModel()
const cairn = await startCairn({
  env: {
    ...loop.env,
    CAIRN_MODEL_BASE_URL: model.url,
    CAIRN_MODEL_NAME: 'none',
  },
})
loop.watch(cairn)
const call = client(cairn)
const workload = openWorkload()
const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
const questions = Array.from({ length: 400 }, () => workload.question(records[Math.floor(workload.random() * RECORDS)]))
try {
  const asked = await makeSandbox(call, 'asked')
  console.log(`milliseconds                      ${FIGURES}`)
  await measure('idle', () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)))
  await measure('ingest of records', () => ingest(asked), true)
  await measure(`${STREAMS} streamed questions at once`, () => streams(asked))
  await measure(`${QUERIES} queries of a model, refused`, () => queries(asked, 'SELECT getenv(name) FROM issue'))
  await measure(`${QUERIES} queries of a model, too long`, () =>
    queries(asked, 'SELECT count(*) FROM message a JOIN message b USING (type) JOIN message c USING (type)'),
  )
  await measure('zip of documents', () => upload('zip', 'application/zip', documents))
  await measure('mailbox', () => upload('mbox', 'application/mbox', mailbox))
  await measure('export of Slack', () => upload('slack', 'application/zip', slack))
  await measure('JSON of memories', () => upload('mem0', 'application/json', memories))
} finally {
  await cairn.stop()
  await model.stop()
  loop.close()
}

/** Runs one case and prints its longest blocks. */
async function measure(name, work, isNeeded = false) {
  if (only.length > 0 && !isNeeded && !only.some((one) => name.includes(one))) return
  let said
  const { figures, printStretch } = await loop.during(async () => {
    said = await work().catch((error) => `failed: ${error.message}`)
  })
  console.log(`${name.padEnd(34)}${figures}  ${said ?? ''}`)
  printStretch()
}

async function ingest(sandbox) {
  const lines = records.map((record) => JSON.stringify(record)).join('\n')
  const { job_id: jobId } = await call('POST', sandbox.records, lines)
  await waitForJob(call, sandbox.storage, jobId)
  await call('POST', `${sandbox.query}/discover`, { query: 'anything' })
}

async function streams(sandbox) {
  const outcomes = await Promise.all(
    questions.slice(0, STREAMS).map(async (query) => {
      const reply = await post(`${sandbox.query}/search`, JSON.stringify({ query, preset: 'fast' }), {
        accept: 'text/event-stream',
      })
      await reply.text()
      return reply.status
    }),
  )
  return counted(outcomes)
}

async function queries(sandbox, text) {
  model.writes = text
  const asked = Array.from({ length: QUERIES }, (_, at) =>
    call('POST', `${sandbox.query}/search`, { query: `Which of the ${at} is oddest?`, preset: 'sql' }).then(
      ({ warnings }) => String(warnings.at(-1)).slice(0, 40),
      (error) => error.message.slice(0, 60),
    ),
  )
  return counted(await Promise.all(asked))
}

function counted(outcomes) {
  const counts = new Map()
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  return [...counts].map(([outcome, count]) => `${count} × ${outcome}`).join(', ')
}

/** Uploads a file to a new sandbox and waits until all of it is applied. */
async function upload(name, type, make) {
  const sandbox = await makeSandbox(call, name)
  const body = make()
  const from = performance.now()
  const reply = await post(`${sandbox.storage}/import`, body, { 'content-type': type })
  const accepted = await reply.json()
  const acceptedMs = performance.now() - from
  if (reply.status !== 202)
    throw new Error(`${reply.status} after ${acceptedMs.toFixed(0)} ms: ${JSON.stringify(accepted).slice(0, 300)}`)
  const { result } = await waitForJob(call, sandbox.storage, accepted.job_id)
  const { now, peak } = cairn.memory()
  const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  const counts = `${result.received} received, ${result.failed} failed`
  return `${mib(body.length)}, 202 after ${acceptedMs.toFixed(0)} ms, ${counts}, memory ${mib(now)} (${mib(peak)})`
}

function post(path, body, headers) {
  return fetch(cairn.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${cairn.apiKey}`, 'content-type': 'application/json', ...headers },
    body,
  })
}

function textOf(number) {
  return records[number % RECORDS].text
}

function documents() {
  const files = Array.from({ length: FILES }, (_, at) => ({
    name: `notes/${at % 100}/Note ${at}.md`,
    content: `---\ntags: [a, b]\nauthor: Ana Lima\n---\n# Note ${at}\n\n${textOf(at)} See [[Note ${at % 500}]].`,
  }))
  return zipOf(files)
}

function mailbox() {
  const mails = Array.from({ length: MAILS }, (_, at) => {
    const people = 'From: Ana Lima <ana@firm.example>\nTo: Ben Okafor <ben@firm.example>\n'
    const head = `From ana@firm.example Mon Jan  5 10:00:00 2026\nMessage-ID: <m${at}@firm.example>\n${people}`
    const about = `Subject: Note ${at % 500}\nDate: Mon, 5 Jan 2026 10:${String(at % 60).padStart(2, '0')}:00 +0000\n`
    return `${head}${about}\n${textOf(at)}\n\n`
  })
  return Buffer.from(mails.join(''))
}

function slack() {
  const users = Array.from({ length: 200 }, (_, at) => ({
    id: `U${at}`,
    team_id: 'T1',
    name: `user${at}`,
    real_name: `Ana Lima${at}`,
    profile: {},
  }))
  const days = Array.from({ length: 40 }, (_, day) => ({
    name: `general/${new Date((1_767_225_600 + day * 86_400) * 1000).toISOString().slice(0, 10)}.json`,
    content: JSON.stringify(
      Array.from({ length: 500 }, (_, at) => ({
        type: 'message',
        user: `U${at % 200}`,
        text: textOf(day * 500 + at),
        ts: `${1767225600 + day * 86400 + at}.000100`,
      })),
    ),
  }))
  const lists = [
    { name: 'users.json', content: JSON.stringify(users) },
    { name: 'channels.json', content: JSON.stringify([{ id: 'C1', name: 'general' }]) },
  ]
  return zipOf([...lists, ...days])
}

function memories() {
  const results = Array.from({ length: FILES }, (_, at) => ({
    id: `${at}`,
    memory: textOf(at),
    user_id: `user${at % 50}`,
  }))
  return Buffer.from(JSON.stringify({ results }))
}

/** Starts a model that always returns the same query. */
async function startModel() {
  const server = createServer((asked, reply) => {
    asked.resume().once('end', () => {
      const content = JSON.stringify({ elements: [{ sql: held.writes }] })
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
      reply.setHeader('content-type', 'application/json')
      reply.end(JSON.stringify({ id: 'm', object: 'chat.completion', created: 1, model: 'none', choices, usage }))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const held = {
    writes: '',
    url: `http://127.0.0.1:${port}/v1`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
  return held
}
