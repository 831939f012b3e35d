// Measures the overhead of each interface on one sandbox of generated records: passages compared with `discover`, and
// an agent's questions compared with the same over HTTP. All variants get each question in turn, so that other load
// affects all. Also measures the size of tool lists and results in tokens (UTF-8 bytes / 4).
// Usage: npm run bench:doors [-- RECORDS [QUESTIONS]]
import { client, makeSandbox, startCairn, waitForJob } from './cairn-process.mjs'
import { poster, printTiming, quantiles } from './timing.mjs'
import { openWorkload } from './workload.mjs'

const RECORDS = Number(process.argv[2] ?? 10_000)
const QUESTIONS = Number(process.argv[3] ?? 200)
const WARM_UP = 20
const BYTES_PER_TOKEN = 4
const CONTEXT_TOKENS = 2_000
/** Maximum overhead at the 95th percentile, in milliseconds. */
const ALLOWED_MS = { context: 15, ask: 10 }
/** Maximum tokens that the tools promise for their results. */
const CAPS = {
  list: 1_000,
  ask: 1_500,
  search: 2_000,
  find_entity: 2_000,
  fetch: 6_000,
  changes: 3_000,
  sources: 2_000,
}

const workload = openWorkload()
const cairn = await startCairn()
const { post, close } = poster(cairn.url, cairn.apiKey, 1)
try {
  const call = client(cairn)
  const sandbox = await makeSandbox(call, 'doors')
  const records = Array.from({ length: RECORDS }, (_, number) => workload.record(number))
  const job = await call('POST', sandbox.records, records.map((record) => JSON.stringify(record)).join('\n'))
  await waitForJob(call, sandbox.storage, job.job_id)
  const questions = Array.from({ length: WARM_UP + QUESTIONS }, (_, at) =>
    workload.question(records[(at * 7919) % RECORDS]),
  )
  console.log(`${RECORDS} records, ${QUESTIONS} questions, one at a time\n`)
  await compareTimes(sandbox, questions)
  await countTokens(sandbox, questions, records)
} finally {
  close()
  await cairn.stop()
}

/** Returns the text of a tool's result. */
async function useTool(sandbox, name, args) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
  const { result, error } = JSON.parse(await post(`/mcp/${sandbox.id}`, message))
  if (error || result.isError) throw new Error(`${name}: ${JSON.stringify(error ?? result)}`)
  return result.content[0].text
}

async function compareTimes(sandbox, questions) {
  const ways = {
    discover: (query) => post(`${sandbox.query}/discover`, { query }),
    context: (query) => post(`${sandbox.query}/context`, { query, max_tokens: CONTEXT_TOKENS }),
    'HTTP search': (query) => post(`${sandbox.query}/search`, { query, explain: true, max_tokens: CAPS.ask / 2 }),
    'MCP ask': (question) => useTool(sandbox, 'ask', { question }),
    'MCP search': (query) => useTool(sandbox, 'search', { query }),
  }
  const taken = new Map(Object.keys(ways).map((name) => [name, []]))
  for (const [at, question] of questions.entries()) {
    const all = Object.entries(ways)
    // The first variant warms the caches for the others, so they alternate.
    for (const [name, ask] of [...all.slice(at % all.length), ...all.slice(0, at % all.length)]) {
      const from = performance.now()
      await ask(question)
      if (at >= WARM_UP) taken.get(name).push(performance.now() - from)
    }
  }
  console.log(`${'milliseconds'.padEnd(44)}     p50     p95     p99`)
  const figures = Object.fromEntries([...taken].map(([name, all]) => [name, quantiles(all)]))
  for (const [name, each] of Object.entries(figures)) printTiming(name, each)
  console.log()
  const beside = (name, base, allowed) => {
    const more = figures[name].p95 - figures[base].p95
    const ratio = (figures[name].p50 / figures[base].p50).toFixed(2)
    const verdict = allowed === undefined ? '' : `, allowed ${allowed} ms: ${more <= allowed ? 'held' : 'MISSED'}`
    console.log(
      `${name} beside ${base}: ${ratio} of its p50, p95 ${more >= 0 ? '+' : ''}${more.toFixed(1)} ms${verdict}`,
    )
  }
  beside('context', 'discover', ALLOWED_MS.context)
  beside('MCP ask', 'HTTP search', ALLOWED_MS.ask)
  beside('MCP search', 'discover')
}

async function countTokens(sandbox, questions, records) {
  const tokens = (text) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
  const list = await post(`/mcp/${sandbox.id}`, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  console.log(`\n${'tokens'.padEnd(44)}     p50     max     cap`)
  const show = (name, all) => {
    const { p50, max } = quantiles(all)
    const over = max > CAPS[name] ? '  OVER' : ''
    console.log(`${name.padEnd(44)}${[p50, max, CAPS[name]].map((each) => String(each).padStart(8)).join('')}${over}`)
  }
  show('list', [tokens(list)])
  const found = []
  const each = async (name, argsOf, count) => {
    const all = []
    for (let at = 0; at < count; at += 1) {
      const text = await useTool(sandbox, name, argsOf(at))
      if (name === 'search') found.push(...JSON.parse(text).results.map(({ id }) => id))
      all.push(tokens(JSON.stringify({ content: [{ type: 'text', text }] })))
    }
    show(name, all)
  }
  const some = Math.min(50, questions.length)
  await each('ask', (at) => ({ question: questions[at] }), some)
  await each('search', (at) => ({ query: questions[at] }), some)
  await each('find_entity', (at) => ({ name: records[at].author.name }), some)
  await each('fetch', (at) => ({ id: found[at] }), Math.min(some, found.length))
  await each('changes', () => ({ since: '2020-01-01' }), 1)
  await each('sources', () => ({}), 1)
}
