// `npm run test:adapters`: runs each adapter in its own program with its SDK, against a running service and a loopback
// model. The output of each program must contain a fact that was ingested before.
import { spawn } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startCairn } from '../../bench/cairn-process.mjs'
import { withTools } from '../../clients/tool-checks.mjs'
import { Cairn } from '../../packages/client/dist/index.js'
import { freePort } from '../../tests/harness/free-port.mjs'
import { openModel } from './model.mjs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SDKS = [
  '@ai-sdk/openai-compatible@2.0.92',
  '@langchain/core@1.2.9',
  '@langchain/openai@1.4.6',
  '@types/node@20.19.43',
  'ai@6.0.325',
  'zod@4.6.7',
]
const PYTHON_SDKS = [
  'langchain-core==1.7.2',
  'langchain-openai==1.7.3',
  'llama-index-core==0.14.25',
  'llama-index-llms-openai-like==0.8.1',
  'openai-agents==0.20.0',
]
/** Other runtimes as programs for Linux on x64, with the arguments that run their endpoint. */
const RUNTIMES = {
  deno: { package: 'deno@2.9.6', program: '.bin/deno', args: ['run', '--no-prompt', '--allow-net', '--allow-env'] },
  bun: { package: '@oven/bun-linux-x64@1.4.5', program: '@oven/bun-linux-x64/bin/bun', args: ['run'] },
}
const ENDPOINT_MS_MAX = 60_000
const KNOWN = 'Pump 7 stopped because its filter was full of sand'
const COMPILER = {
  strict: true,
  skipLibCheck: true,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
  rootDir: '.',
  outDir: 'built',
}

/** @typedef {import('../../clients/tool-checks.mjs').ToolChecks} ToolChecks */

/** Throws unless the output contains the known fact once for each question. */
function holdsKnown(/** @type {string} */ printed, times = 1) {
  const found = printed.split(KNOWN).length - 1
  if (found < times)
    throw new Error(`The output contains the known fact ${found} times instead of ${times}:\n${printed}`)
  return `contains the known fact${times > 1 ? `, ${times} times` : ''}`
}

/** Packs the client, installs it together with the SDKs, and builds the adapters and their programs. */
async function buildTypeScript(/** @type {ToolChecks} */ tools) {
  const packing = ['pack', '--workspace', '@cairnstore/client', '--silent', '--pack-destination', tools.folder]
  await tools.printed('npm', packing, ROOT)
  const tarball = readdirSync(tools.folder).find((name) => name.endsWith('.tgz'))
  const runtimes = hasRuntimes ? Object.values(RUNTIMES).map((each) => each.package) : []
  await tools.install([`./${tarball}`, ...SDKS, ...runtimes])
  for (const each of ['ai-sdk', 'langchain', 'try', ...Object.keys(RUNTIMES)]) {
    cpSync(join(ROOT, 'adapters', each), join(tools.folder, each), { recursive: true })
  }
  writeFileSync(
    join(tools.folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER, include: ['ai-sdk', 'langchain', 'try'] }),
  )
  await tools.printed(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.json'])
  return 'they type-check'
}

/**
 * Starts the endpoint of a runtime and asks it a question. A client that disconnects after the first line must not stop
 * it.
 * @param {ToolChecks} tools @param {keyof typeof RUNTIMES} name @param {Record<string, string>} env
 */
async function askEndpoint(tools, name, env) {
  const { program, args } = RUNTIMES[name]
  const port = await freePort()
  const child = spawn(join(tools.folder, 'node_modules', program), [...args, `${name}/answer.ts`], {
    cwd: tools.folder,
    env: { PATH: process.env.PATH, HOME: tools.folder, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}/`
  try {
    const until = performance.now() + ENDPOINT_MS_MAX
    while ((await fetch(url).catch(() => undefined))?.status !== 400) {
      if (child.exitCode !== null || performance.now() > until) throw new Error(`${name} does not serve.`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const asked = `${url}?q=Why+did+pump+7+stop`
    await (await fetch(asked)).body?.cancel()
    const said = await (await fetch(asked)).text()
    const [last = '{}'] = said.trim().split('\n').slice(-1)
    if (!JSON.parse(last).citations?.length) throw new Error(`It has no citations:\n${said}`)
    return holdsKnown(said)
  } finally {
    child.kill()
  }
}

/**
 * Sends the requests of an n8n workflow in the order of its nodes. Evaluates its expressions, which are JavaScript and
 * use only the fields of one node.
 */
async function sendWorkflow(/** @type {string} */ url, /** @type {string} */ sandbox, /** @type {string} */ key) {
  const { nodes } = JSON.parse(readFileSync(join(ROOT, 'adapters/n8n/ask-cairn.json'), 'utf8'))
  const { assignments } = nodes.find((/** @type {any} */ { type }) => type.endsWith('.set')).parameters.assignments
  const json = Object.fromEntries(assignments.map((/** @type {any} */ { name, value }) => [name, value]))
  const $ = () => ({ item: { json: { ...json, url, sandbox_id: sandbox } } })
  const valueIn = (/** @type {string} */ text) =>
    text.replace(/^=/, '').replaceAll(/\{\{(.*?)\}\}(?!\})/g, (_, code) => new Function('$', `return ${code}`)($))
  let said = ''
  for (const { type, parameters } of nodes) {
    if (!type.endsWith('.httpRequest')) continue
    const given = parameters.headerParameters?.parameters ?? []
    const headers = Object.fromEntries(given.map((/** @type {any} */ { name, value }) => [name, value]))
    const reply = await fetch(valueIn(parameters.url), {
      method: parameters.method,
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: valueIn(parameters.jsonBody),
    })
    said = await reply.text()
    if (!reply.ok) throw new Error(`${reply.status}: ${said}`)
  }
  return holdsKnown(said)
}

const hasRuntimes = process.platform === 'linux' && process.arch === 'x64'
const [service, model] = [await startCairn({ env: { CAIRN_LOG_LEVEL: 'error' } }), await openModel()]
try {
  const cairn = new Cairn({ url: service.url, apiKey: service.apiKey, readsEnvironment: false })
  await cairn.add(`${KNOWN}.`)
  const sandbox = await cairn.sandboxId()
  const env = { CAIRN_URL: service.url, CAIRN_API_KEY: service.apiKey, CAIRN_SANDBOX: sandbox, MODEL_URL: model.url }
  await withTools('adapters', async (tools) => {
    /** Runs a program that asks the question this many times. */
    const run = (
      /** @type {string} */ command,
      /** @type {string} */ program,
      /** @type {number} */ times,
      beside = '',
    ) =>
      tools.check(basename(program), async () => {
        const variables = { ...process.env, ...env, PYTHONPATH: beside, PYTHONDONTWRITEBYTECODE: '1' }
        return holdsKnown(await tools.printed(command, [program], tools.folder, variables), times)
      })
    const runTypeScript = async () => {
      await tools.check('TypeScript', () => buildTypeScript(tools))
      await run(process.execPath, 'built/try/ai-sdk.js', 2)
      await run(process.execPath, 'built/try/langchain.js', 1)
      for (const name of /** @type {(keyof typeof RUNTIMES)[]} */ (hasRuntimes ? Object.keys(RUNTIMES) : [])) {
        await tools.check(name, () => askEndpoint(tools, name, env))
      }
    }
    const runPython = async () => {
      const bin = await tools.installPython([...PYTHON_SDKS, join(ROOT, 'clients/python')])
      for (const adapter of ['langchain', 'llama-index', 'openai-agents']) {
        const program = join(ROOT, `adapters/try/try_${adapter.replace('-', '_')}.py`)
        await run(join(bin, 'python'), program, 2, join(ROOT, 'adapters', adapter))
      }
    }
    await Promise.all([
      runTypeScript(),
      runPython(),
      tools.check('n8n', () => sendWorkflow(service.url, sandbox, service.apiKey)),
    ])
  })
  if (!model.asked.completions || !model.asked.responses) {
    throw new Error(`The model was not asked in both ways: ${JSON.stringify(model.asked)}`)
  }
} finally {
  model.close()
  await service.stop()
}
