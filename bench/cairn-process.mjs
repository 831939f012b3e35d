// Starts a Cairn process with its own data folder, for benchmarks and crash tests.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAIN, newApiKey } from './product.mjs'

/** Allocator settings of the C library, as `npm start` sets them for Node. */
const ALLOCATOR = Object.fromEntries(
  [...readScripts().start.matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
)
const KIB = 1024
/** Milliseconds per tick of Linux's CPU time counters. */
const MS_PER_TICK = 10
/** No limits: benchmarks measure the service, not the quotas of a tier. Usage is still counted. */
const UNLIMITED = JSON.stringify({
  enterprise: { queries_per_minute: null, ingest_records_per_minute: null, max_records: null, max_storage_bytes: null },
})

/**
 * Starts a process and waits until it serves requests.
 * @param {{ main?: string, folder?: string, apiKey?: string, env?: Record<string, string> }} [options]
 */
export async function startCairn(options = {}) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'cairn-bench-'))
  const apiKey = options.apiKey ?? newApiKey()
  const child = spawn(process.execPath, [options.main ?? MAIN], {
    env: {
      ...ALLOCATOR,
      CAIRN_LOG_LEVEL: 'warn',
      ...process.env,
      CAIRN_DATA: folder,
      CAIRN_PORT: '0',
      CAIRN_EXAMPLE: 'off',
      CAIRN_BOOTSTRAP_API_KEY: apiKey,
      CAIRN_LIMITS: UNLIMITED,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
      const address = /listening on (http:\S+)/.exec(printed)?.[1]
      if (address) resolve(address)
    })
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${printed}`)))
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  return {
    url,
    apiKey,
    folder,
    pid: child.pid ?? 0,
    /** Returns the current and peak resident memory in bytes. */
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      /** @param {string} name */
      const read = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * KIB
      return { now: read('VmRSS'), peak: read('VmHWM') }
    },
    /** Returns the CPU time of all threads so far, in milliseconds. */
    cpuMs() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    async stop({ keep = false } = {}) {
      child.kill('SIGTERM')
      await exited
      if (!keep) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Returns a function that calls the API and throws unless the call succeeds.
 * @param {{ url: string, apiKey: string }} cairn
 */
export function client({ url, apiKey }) {
  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   */
  return async (method, path, body, headers = {}) => {
    const reply = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && {
          'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
        }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text.slice(0, 500)}`)
    return (reply.headers.get('content-type') ?? '').startsWith('application/json') ? JSON.parse(text) : text
  }
}

/**
 * Creates a sandbox with one source and returns its paths.
 * @param {ReturnType<typeof client>} call
 * @param {string} name
 */
export async function makeSandbox(call, name) {
  const { sandbox_id: id } = await call('POST', '/api/v1/storage/sandboxes', {
    name,
    owner_id: 'bench',
    tier: 'enterprise',
  })
  const storage = `/api/v1/storage/sandboxes/${id}`
  const source = await call('POST', `${storage}/sources`, { provider: 'bench', name: 'bench' })
  return {
    id,
    storage,
    records: `${storage}/sources/${source.data_source_id}/records`,
    query: `/api/v1/query/sandboxes/${id}`,
  }
}

/**
 * Waits until a job is completed. Throws if it fails.
 * @param {ReturnType<typeof client>} call
 * @param {string} storage
 * @param {string} jobId
 */
export async function waitForJob(call, storage, jobId) {
  for (;;) {
    const job = await call('GET', `${storage}/ingest/${jobId}`)
    if (job.status === 'completed') return job
    if (job.status === 'failed') throw new Error(`job failed: ${job.error_message}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** @returns {Record<string, string>} */
function readScripts() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).scripts
}

/**
 * Retries transient rejections as a client does. Records have ids, so nothing is stored twice.
 * @template T
 * @param {() => Promise<T>} send
 * @returns {Promise<T>}
 */
export async function untilTaken(send) {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof Error) || !/ answered 503:/.test(error.message)) throw error
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}
