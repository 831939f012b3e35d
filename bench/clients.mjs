// `npm run bench:clients`: measures calls per second and memory of each client library compared with the bare HTTP
// library it uses, in one process with sequential calls. Prints JSON.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startCairn } from './cairn-process.mjs'

const CALLS = 500
const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Returns a program that runs `call` repeatedly, after a tenth as many warm-up calls, and prints calls per second and
 * MiB.
 */
const javascript = (/** @type {string} */ call) => `
const { CAIRN_URL: url, CAIRN_API_KEY: key } = process.env
${call}
for (let at = 0; at < ${CALLS / 10}; at += 1) await call()
const startedAt = performance.now()
for (let at = 0; at < ${CALLS}; at += 1) await call()
const seconds = (performance.now() - startedAt) / 1000
const mib = Math.round(process.memoryUsage.rss() / 2 ** 20)
console.log(JSON.stringify({ calls_a_second: Math.round(${CALLS} / seconds), mib }))
`
const python = (/** @type {string} */ call) => `
import json, os, resource, time
url, key = os.environ["CAIRN_URL"], os.environ["CAIRN_API_KEY"]
${call}
for _ in range(${CALLS / 10}): call()
started = time.perf_counter()
for _ in range(${CALLS}): call()
seconds = time.perf_counter() - started
mib = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
print(json.dumps({"calls_a_second": round(${CALLS} / seconds), "mib": mib}))
`
const PATH = '/api/v1/users/me/profile'
const PROGRAMS = {
  fetch: javascript(`
const headers = { authorization: 'Bearer ' + key }
const call = async () => (await fetch(url + '${PATH}', { headers })).json()`),
  '@cairnstore/client': javascript(`
import { Cairn } from '@cairnstore/client'
const cairn = new Cairn()
const call = () => cairn.getProfile()`),
}
const PYTHON_PROGRAMS = {
  httpx: python(`
import httpx
http = httpx.Client(headers={"authorization": "Bearer " + key})
call = lambda: http.get(url + "${PATH}").json()`),
  cairnstore: python(`
import cairnstore
cairn = cairnstore.Cairn()
call = lambda: cairn.get_profile()`),
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-clients-'))
const service = await startCairn({ env: { CAIRN_LOG_LEVEL: 'error' } })
const env = { ...process.env, CAIRN_URL: service.url, CAIRN_API_KEY: service.apiKey }
/** @param {string} command @param {string[]} args */
const printed = async (command, args) => (await promisify(execFile)(command, args, { cwd: root, env })).stdout
/** @type {Record<string, unknown>} */
const results = { node: process.versions.node, calls: CALLS }
try {
  for (const [name, program] of Object.entries(PROGRAMS)) {
    results[name] = JSON.parse(await printed(process.execPath, ['--input-type=module', '--eval', program]))
  }
  const own = join(folder, 'bin', 'python')
  await printed('python3', ['-m', 'venv', folder])
  await printed(own, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', join(root, 'clients/python')])
  results.python = (await printed(own, ['--version'])).trim()
  for (const [name, program] of Object.entries(PYTHON_PROGRAMS)) {
    results[name] = JSON.parse(await printed(own, ['-c', program]))
  }
} finally {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
