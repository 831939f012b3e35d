import { createReadStream } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, operations } from '@cairn/contract'
import { answered, call, unanswered } from './call.ts'
import { EXIT_FAILED, Failure, usageFailure } from './failure.ts'
import { toInputs } from './inputs.ts'
import { fieldsTable, print, printable, type Row } from './output.ts'
import type { Typed } from './run-command.ts'
import { readSettings, type Settings } from './settings.ts'
import { type TarFile, tarOf } from './tar-of.ts'

/** What of a folder is sent: documents, mails and exports. */
const CONTENT = /\.(?:md|markdown|mdx|txt|eml|mbox|json)$/i
const LINES = /\.(?:ndjson|jsonl)$/i
const PASSED_OVER = /^(?:\.|node_modules$)/
/** Files of one folder; the service takes no more. */
const FILES_MAX = 100_000
const JOB_LOOK_MS = 1000
const WAIT_SECONDS = 30
const JSON_INDENT = 2
const { importKnowledge, getJob } = operations

/** The command that sends a file or a folder of this machine; what else it takes follows from its operation. */
export const IMPORT = { word: 'import', operands: 'SANDBOX_ID PATH', operation: importKnowledge } as const

/** Sends a file or a folder to be imported, waits until it is taken in, and prints what came of it. */
export async function importPath({ operands, options }: Typed): Promise<number> {
  const path = operands.pop()
  if (operands.length < 1 || !path) throw usageFailure(`This takes ${IMPORT.operands}.`)
  const settings = readSettings(importKnowledge.access)
  const inputs = toInputs(importKnowledge, operands, options)
  const query = new URLSearchParams(inputs.query).toString()
  const { body, type } = await contentOf(path)
  const sent = await send(`${settings.url}${inputs.path}${query && `?${query}`}`, body, type, settings)
  const job = await finished(sent as Partial<Job>, operands[0]!, settings)
  await print(options.json === true ? `${JSON.stringify(job, null, JSON_INDENT)}\n` : forPeople(job))
  return job.status === 'completed' ? 0 : EXIT_FAILED
}

async function contentOf(path: string): Promise<{ body: Readable; type: string }> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw usageFailure(`There is nothing at "${path}".`)
  if (!found.isDirectory()) {
    return {
      body: createReadStream(path),
      type: LINES.test(path) ? 'application/x-ndjson' : 'application/octet-stream',
    }
  }
  const files = await filesIn(path)
  if (files.length === 0) throw usageFailure(`"${path}" holds no Markdown, text, mail or JSON.`)
  return { body: Readable.from(tarOf(files), { objectMode: false }), type: 'application/x-tar' }
}

/** The files of a folder in the order of their paths; hidden ones and links are left out. */
async function filesIn(root: string): Promise<TarFile[]> {
  const files: TarFile[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opendir(join(root, folder))) {
      if (PASSED_OVER.test(entry.name)) continue
      const path = folder ? `${folder}/${entry.name}` : entry.name
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile() && CONTENT.test(entry.name)) {
        files.push({ path, from: join(root, path), bytes: (await stat(join(root, path))).size })
      }
      if (files.length > FILES_MAX) throw usageFailure(`"${root}" holds more than ${FILES_MAX} files.`)
    }
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** An import is slowed to the sandbox's rate, so that its answer may take hours, which `fetch` does not wait for. */
async function send(address: string, body: Readable, type: string, settings: Settings): Promise<unknown> {
  const headers = {
    authorization: `Bearer ${settings.key}`,
    accept: 'application/json',
    'content-type': type,
    prefer: `wait=${WAIT_SECONDS}`,
  }
  const request = (address.startsWith('https:') ? requestHttps : requestHttp)(address, { method: 'POST', headers })
  const reply = new Promise<{ status: number; text: string; retryAfter: string }>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part)).on('error', reject)
      response.on('end', () => {
        const { statusCode: status = 0, headers: sent } = response
        resolve({ status, text: Buffer.concat(parts).toString(), retryAfter: sent['retry-after'] ?? '' })
      })
    })
  })
  try {
    // A refusal may come before all is sent, and then nobody reads the rest.
    const sending = pipeline(body, request)
    const { status, text, retryAfter } = await Promise.race([reply, sending.then(() => reply)])
    sending.catch(() => undefined)
    const made = new Response(text, { status, headers: retryAfter ? { 'retry-after': retryAfter } : {} })
    return answered(made, text, importKnowledge, settings)
  } catch (error) {
    throw error instanceof Failure
      ? error
      : unanswered({ cause: error, message: String(error) }, importKnowledge, settings)
  }
}

/** The job when it has ended. */
async function finished(sent: Partial<Job>, sandboxId: string, settings: Settings): Promise<Job> {
  let job = sent
  while (job.status === 'queued' || job.status === 'processing') {
    const inputs = toInputs(getJob, [sandboxId, job.job_id!], {})
    job = (await call(getJob, inputs, settings)) as Job
    if (job.status === 'queued' || job.status === 'processing') await sleep(JOB_LOOK_MS)
  }
  return job as Job
}

function forPeople({ job_id, status, result, error_message }: Job): string {
  const { errors = [], ...counts } = result ?? {}
  const named = errors.map(
    ({ file, line, reason, detail }) => `${[file, line].filter(Boolean).join(':')}: ${detail} (${reason})`,
  )
  const failure = error_message ? { error_message } : {}
  return [
    fieldsTable({ job_id, status, ...counts, ...failure } as Row),
    ...named.map((each) => `${printable(each)}\n`),
  ].join('')
}
