// `npm run test:clients`: tests every client with one conformance list against a service behind a fault proxy. The
// arguments select clients; by default all clients that this machine supports. RUNTIMES names other JavaScript
// runtimes, PYTHONS the Python interpreters; `npm run test:runtimes` finds both.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startCairn } from '../../bench/cairn-process.mjs'
import { openPages, tryInBrowser } from './browser.mjs'
import { openFaultProxy } from './fault-proxy.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const here = fileURLToPath(new URL('./', import.meta.url))
/** @type {Record<string, string>} */
const LIST = JSON.parse(readFileSync(join(here, 'list.json'), 'utf8'))
const RUN_MS_MAX = 300_000
/** Known deviations of runtimes: Deno's `fetch` itself resends a request after a broken connection. */
const BY_ITSELF = [{ name: /on deno/, id: 'retry_unsafe' }]

/**
 * Returns the lines that a program prints. Throws if it fails or times out.
 * @param {string} command @param {string[]} args @param {Record<string, string>} [env]
 * @returns {Promise<string>}
 */
function printed(command, args, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const late = setTimeout(() => child.kill('SIGKILL'), RUN_MS_MAX)
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(late)
      if (code === 0) resolve(text)
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}.\n${text}`))
    })
  })
}

/**
 * Returns the failures of one client by id. Throws if it skipped an id of the list.
 * @param {string} text output of the client
 */
function failuresIn(text) {
  const outcomes = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const tried = outcomes.map(({ id }) => id).sort()
  if (tried.join() !== Object.keys(LIST).sort().join())
    throw new Error(`The tried cases differ from list.json: ${tried}`)
  return outcomes.filter(({ failure }) => failure)
}

/** Creates a virtual environment with the Python client. @param {string} python @param {string} folder */
async function installPython(python, folder) {
  await printed(python, ['-m', 'venv', folder])
  const own = join(folder, 'bin', 'python')
  await printed(own, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `${join(root, 'clients/python')}[keys]`,
  ])
  return own
}

/** @param {string} name of a program @returns {Promise<boolean>} */
async function isThere(name) {
  return printed(name, ['--version']).then(
    () => true,
    () => false,
  )
}

/**
 * Yields the name and the program of each client to test.
 * @param {string[]} wanted @param {string} folder @returns {AsyncGenerator<[string, string, string[]]>}
 */
async function* clients(wanted, folder) {
  const isWanted = (/** @type {string} */ kind) => wanted.length === 0 || wanted.includes(kind)
  if (isWanted('typescript')) {
    yield [`TypeScript on Node ${process.versions.node}`, process.execPath, [join(here, 'typescript.mjs')]]
    for (const runtime of (process.env.RUNTIMES ?? '').split(':').filter(Boolean)) {
      const [version = ''] = (await printed(runtime, ['--version'])).split('\n')
      const name = basename(runtime)
      const run = name === 'deno' ? ['run', '--allow-all'] : []
      yield [
        `TypeScript on ${name} ${version.replace(`${name} `, '')}`,
        runtime,
        [...run, join(here, 'typescript.mjs')],
      ]
    }
  }
  if (!isWanted('python')) return
  const pythons = (process.env.PYTHONS ?? 'python3').split(':')
  for (const python of pythons) {
    if (!(await isThere(python))) {
      process.stdout.write(`${python}: skipped, since it is not here\n`)
      continue
    }
    const own = await installPython(python, join(folder, python.replaceAll('/', '_')))
    const version = (await printed(own, ['--version'])).trim()
    for (const kind of ['sync', 'async']) yield [`${version}, ${kind}`, own, [join(here, 'conformance.py'), kind]]
  }
}

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

/** Returns true if the client passes its tests in a browser. @param {string} origin @param {string} stranger */
async function isWellInBrowser(origin, stranger) {
  if (!existsSync(CHROMIUM)) {
    process.stdout.write(`TypeScript in a browser: skipped, because there is no browser at ${CHROMIUM}\n`)
    return true
  }
  const given = { url: service.url, apiKey: service.apiKey, origin, stranger, executable: CHROMIUM }
  const results = Object.entries(await tryInBrowser(given))
  const wrong = results.filter(([, isWell]) => !isWell).map(([id]) => id)
  process.stdout.write(
    `TypeScript in Chromium: ${results.length - wrong.length} of ${results.length}${wrong.map((id) => ` –${id}`)}\n`,
  )
  return wrong.length === 0
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-clients-'))
const [page, stranger] = [await openPages(), await openPages()]
const service = await startCairn({ env: { CAIRN_LOG_LEVEL: 'error', CAIRN_CORS_ORIGINS: page.origin } })
const proxy = await openFaultProxy(service.url)
let isWell = true
try {
  const env = { CAIRN_API_KEY: service.apiKey, CONFORMANCE_PROXY: proxy.url, XDG_CONFIG_HOME: folder }
  for await (const [name, command, args] of clients(process.argv.slice(2), folder)) {
    const startedAt = performance.now()
    const failures = failuresIn(await printed(command, args, env))
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const count = Object.keys(LIST).length
    process.stdout.write(`${name}: ${count - failures.length} of ${count} in ${seconds} s\n`)
    for (const { id, failure } of failures) process.stdout.write(`  ${id}: ${LIST[id]}\n${failure}\n`)
    isWell &&= failures.every(({ id }) => BY_ITSELF.some((known) => known.id === id && known.name.test(name)))
  }
  const wanted = process.argv.slice(2)
  const isBrowser = wanted.length === 0 || wanted.includes('browser')
  if (isBrowser) isWell = (await isWellInBrowser(page.origin, stranger.origin)) && isWell
} finally {
  proxy.close()
  page.close()
  stranger.close()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = isWell ? 0 : 1
