import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from '@cairnstore/contract'

/** Content of an example's `workspace.json`. */
interface Workspace {
  name: string
  owner_id: string
  reference_date: string
  question: string
  sources: { key: string; provider: string; name: string; external_account_id?: string; file: string }[]
  projects: { name: string; description?: string; sources: string[] }[]
}

/** The displayed parts of an answer. */
export interface ShownInterpretation {
  brief: string
  citations: { canonical_id: string; name: string; relevance: number }[]
}

type Print = (line: string) => void
type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** The build copies it next to the code. */
const EXAMPLE = fileURLToPath(new URL('./example/', import.meta.url))
const TUPLES_ASKED = 10
const PROGRESS_INTERVAL_MS = 250
const LOAD_MS_MAX = 120_000
const LINE_WIDTH = 100

/** Loads the example workspace over HTTP and asks its question. Prints the answer and a command to repeat it. */
export async function showExample(baseUrl: string, apiKey: string, print: Print, signal: AbortSignal): Promise<void> {
  if (!existsSync(join(EXAMPLE, 'workspace.json'))) return
  const workspace = JSON.parse(readFileSync(join(EXAMPLE, 'workspace.json'), 'utf8')) as Workspace
  const call = caller(baseUrl, apiKey, signal)
  const sandbox = await call<{ sandbox_id: string }>('POST', '/api/v1/storage/sandboxes', {
    name: workspace.name,
    owner_id: workspace.owner_id,
  })
  const storage = `/api/v1/storage/sandboxes/${sandbox.sandbox_id}`
  print(`Loading the example workspace "${workspace.name}"`)
  await loadSources(workspace, storage, call, print)

  const query = workspace.question
  const pointers = { query, reference_date: workspace.reference_date }
  const queryPath = `/api/v1/query/sandboxes/${sandbox.sandbox_id}`
  const found = await call<{ items: { canonical_ids: string[] }[] }>('POST', `${queryPath}/discover`, {
    ...pointers,
    limit: TUPLES_ASKED,
  })
  const body = { ...pointers, items: found.items.map((item) => item.canonical_ids.slice(-1)) }
  const answer = await call<ShownInterpretation>('POST', `${queryPath}/interpret`, body)
  printAnswer(query, answer, print)
  print('\nTo repeat the question:\n')
  print(curl(`${baseUrl}${queryPath}/interpret`, apiKey, body))
  print(`\nThis key is shown only once. Store it. The API reference is at ${baseUrl}/docs`)
}

async function loadSources(workspace: Workspace, storage: string, call: Call, print: Print): Promise<void> {
  const sourceIds = new Map<string, string>()
  for (const { key, file, ...source } of workspace.sources) {
    const { data_source_id: id } = await call<{ data_source_id: string }>('POST', `${storage}/sources`, source)
    sourceIds.set(key, id)
    const lines = readFileSync(join(EXAMPLE, file), 'utf8').trim().split('\n')
    const records = lines.map((line) => JSON.parse(line) as unknown)
    const job = await call<{ job_id: string }>('POST', `${storage}/sources/${id}/records`, { records })
    await watchJob(`${storage}/ingest/${job.job_id}`, source.name, records.length, call, print)
  }
  for (const { name, description, sources } of workspace.projects) {
    const ids = sources.flatMap((key) => sourceIds.get(key) ?? [])
    await call('POST', `${storage}/projects`, { name, description, data_source_ids: ids })
  }
}

async function watchJob(path: string, name: string, total: number, call: Call, print: Print): Promise<void> {
  const deadline = performance.now() + LOAD_MS_MAX
  let printed = -1
  while (performance.now() < deadline) {
    const job = await call<Pick<Job, 'status' | 'error_message' | 'result'>>('GET', path)
    if (job.status === 'completed') return print(`  ${name.padEnd(24)} ${total} records`)
    if (job.status === 'failed') throw new Error(`Loading ${name} failed: ${job.error_message}`)
    const { written = 0, unchanged = 0, failed = 0 } = job.result ?? {}
    const applied = written + unchanged + failed
    if (applied !== printed) print(`  ${name.padEnd(24)} ${applied} of ${total} records`)
    printed = applied
    await new Promise((resolve) => setTimeout(resolve, PROGRESS_INTERVAL_MS))
  }
  throw new Error(`Loading ${name} took longer than ${LOAD_MS_MAX / 1000} s.`)
}

/** Prints a question with its answer and citations, as shown in the README. */
function printAnswer(query: string, answer: ShownInterpretation, print: Print): void {
  print(`\nQuestion: ${query}\n`)
  for (const paragraph of answer.brief.split('\n')) print(wrap(paragraph))
  print('\nCitations:')
  for (const { name, relevance, canonical_id: id } of answer.citations) {
    print(`  ${relevance.toFixed(2)}  ${name}  (${id})`)
  }
}

function curl(url: string, apiKey: string, body: unknown): string {
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''")
  return [
    `curl -s ${url} \\`,
    `  -H 'Authorization: Bearer ${apiKey}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${quoted}'`,
  ].join('\n')
}

function caller(baseUrl: string, apiKey: string, signal: AbortSignal): Call {
  return async <T>(method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${baseUrl}${path}`, {
      method,
      signal,
      headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = (await reply.json()) as { detail?: string }
    if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${answer.detail}`)
    return answer as T
  }
}

function wrap(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line && line.length + word.length + 1 > LINE_WIDTH) {
      lines.push(line)
      line = word
    } else {
      line = line ? `${line} ${word}` : word
    }
  }
  return [...lines, line].join('\n')
}
