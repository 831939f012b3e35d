import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, operations } from '@cairnstore/contract'
import { call, sandboxOf } from '../call.ts'
import { type Options, type ParsedArguments, toOperationInput } from '../inputs.ts'
import {
  EXIT_FAILED,
  EXIT_LEFT_OUT,
  Failure,
  jsonText,
  type OutputRow,
  print,
  printable,
  usageFailure,
} from '../output.ts'
import type { OwnCommand } from '../own-command.ts'
import { duration, openProgress, type Progress } from '../progress.ts'
import { readSettings, type Settings } from '../settings.ts'
import { type Adding, addAddress, isAddress } from './add-address.ts'
import { endingOf, type FoundPath, findFiles, type SkippedFile, SUPPORTED_TYPES } from './find-files.ts'
import { type ImportBatch, importBatchesOf, upload, waitForJob } from './import-batches.ts'
import { type Embedded, untilEmbedded } from './until-embedded.ts'

const { importKnowledge, ingest } = operations
const STANDARD_INPUT = '-'

/** Command that imports local files and folders and lists every file that it skips. */
export const ADD: OwnCommand = {
  words: ['add'],
  operands: 'FILE|FOLDER|ADDRESS|-…',
  summary: 'Import local files and folders, web pages, or a text from standard input',
  about:
    `Supported: ${SUPPORTED_TYPES}. Other and unreadable files are listed with the reason, and the exit code is ` +
    'then 3. ' +
    'Hidden files are skipped. Each row of a table and each part of a long document becomes a ' +
    'record, which counts against the limits of the sandbox. Importing the same path again replaces only ' +
    'what changed. With --sync, the records of files that were deleted from a folder are removed. ' +
    'An https address is one page, or a site by its sitemap (.xml); the service reads it again every day.',
  access: importKnowledge.access,
  given: {
    'FILE|FOLDER': 'Files and folders to import.',
    ADDRESS: 'A web page or a sitemap.',
    '-': 'Read one text from standard input.',
  },
  options: {
    'occurred-at': { form: 'TEXT', meaning: 'Date or time of the text from standard input.' },
    speaker: { form: 'TEXT', meaning: 'Author of the text.' },
    watch: { form: 'FLAG', meaning: 'Keep running, and import a folder again whenever its files change.' },
  },
  operation: importKnowledge,
  without: ['format', 'path'],
  isInside: true,
  examples: [
    'add ~/notes',
    'add --sync ~/notes',
    'add https://docs.example.com/sitemap.xml',
    'add report.md all-mail.mbox slack-export.zip',
    'add - < minutes.txt',
  ],
  run: add,
}

async function add({ operands, options }: ParsedArguments): Promise<number> {
  if (operands.length === 0)
    throw usageFailure(`FILE, FOLDER, ADDRESS or - is missing. Usage: cairn add ${ADD.operands}`)
  const isText = operands.includes(STANDARD_INPUT)
  if (isText && operands.length > 1)
    throw usageFailure('- cannot be combined with files or folders. It reads one text from standard input.')
  const isWhole = options.sync === true
  const isWatching = options.watch === true
  if (isText && (isWhole || isWatching)) throw usageFailure('--sync and --watch need a folder, not standard input.')
  const settings = readSettings(importKnowledge.access, options)
  const addresses = operands.filter(isAddress)
  const paths = operands.filter((operand) => !isAddress(operand))
  if (paths.length === 0 && (isWhole || isWatching))
    throw usageFailure('--sync and --watch need a folder. The service reads an address again by itself.')
  // Report missing files before anything is sent.
  let findings = isText ? [] : await found(paths, isWhole)
  const sandboxId = await sandboxOf(settings)
  const once = async () => {
    const progress = openProgress(settings.isQuiet)
    const startedMs = performance.now()
    try {
      const added = isText
        ? await addText(sandboxId, options, settings, progress)
        : await addFound(findings, addresses, {
            sandboxId,
            options: { ...options, watch: undefined },
            settings,
            progress,
          })
      progress.end()
      const isJson = options.json === true
      if (!isJson) await print(reportOf(added, performance.now() - startedMs))
      const embedded = await untilEmbedded(sandboxId, settings, progress)
      progress.end()
      const { waiting } = embedded
      await print(
        isJson
          ? jsonText({ sandbox_id: sandboxId, ...added, waiting })
          : embeddingReport(embedded, performance.now() - startedMs),
      )
      return exitCodeOf(added)
    } finally {
      progress.end()
    }
  }
  const again = async () => {
    findings = await found(paths, isWhole)
    return once()
  }
  return isWatching ? watchPaths(paths, again) : once()
}

/** Finds the files to add. With `isWhole` (`--sync`), throws a usage Failure if a folder cannot be sent completely. */
async function found(operands: readonly string[], isWhole: boolean): Promise<FoundPath[]> {
  const findings = await Promise.all(operands.map(findFiles))
  if (!isWhole) return findings
  for (const { isFolder, leftOut } of findings) {
    if (!isFolder)
      throw usageFailure('--sync needs a folder: it removes the records of files that are no longer in it.')
    const closed = leftOut.find(({ reason }) => UNSAFE_TO_SYNC.includes(reason))
    if (closed)
      throw usageFailure(
        `"${closed.file}" cannot be sent (${closed.reason}), so --sync would remove its records. Run without --sync.`,
      )
  }
  return findings
}

/** Reasons for skipping a file that make `--sync` unsafe: its records would be deleted, although it exists. */
const UNSAFE_TO_SYNC = ['not_readable', 'file_too_large']

function exitCodeOf({ jobs, left_out: leftOut, failed, received }: Added): number {
  if (jobs.some(({ status }) => status !== 'completed')) return EXIT_FAILED
  if (leftOut.length === 0 && failed === 0) return 0
  return received === failed ? EXIT_FAILED : EXIT_LEFT_OUT
}

async function addText(sandboxId: string, options: Options, settings: Settings, progress: Progress): Promise<Added> {
  const text = await textOf(process.stdin)
  if (text.trim() === '') throw usageFailure('There is no text on standard input.')
  const input = { ...toOperationInput(ingest, [text], options, ['sandbox_id']), sandbox_id: sandboxId }
  const sent = (await call(ingest, input, settings)) as OutputRow
  return resultOf([await waitForJob(sent, input, settings, progress)], [])
}

async function addFound(findings: readonly FoundPath[], addresses: readonly string[], adding: Adding): Promise<Added> {
  const leftOut = findings.flatMap((finding) => finding.leftOut)
  const jobs: Job[] = []
  for (const batch of findings.flatMap((finding) => importBatchesOf(finding, adding.options.sync === true))) {
    const sent = await sendBatch(batch, adding)
    if ('job' in sent) jobs.push(sent.job)
    leftOut.push(...('job' in sent ? leftOutOf(sent.job, batch) : [sent.leftOut]))
  }
  for (const address of addresses) {
    const read = await addAddress(address, adding)
    jobs.push(read.job)
    leftOut.push(...read.leftOut)
  }
  return resultOf(jobs, leftOut)
}

/** Sends one batch. If the service rejects its content, reports it as skipped. */
async function sendBatch(batch: ImportBatch, adding: Adding): Promise<{ job: Job } | { leftOut: SkippedFile }> {
  const { sandboxId, options, settings, progress } = adding
  const { format, sourceName, content, title, files, path } = batch
  const typed = toOperationInput(importKnowledge, [], options, ['sandbox_id'])
  const input = { format, path, source_name: sourceName, ...typed, sandbox_id: sandboxId }
  try {
    return { job: await upload(input, content, settings, { progress, title }) }
  } catch (error) {
    const isOfContent = error instanceof Failure && CONTENT_REJECTED.includes(error.status ?? 0) && files.length === 1
    if (!isOfContent) throw error
    const { reason = error.body.error, detail } = error.body as { reason?: string; detail: string }
    return { leftOut: { file: title, kind: endingOf(title), reason, detail } }
  }
}

/** HTTP statuses with which the service rejects the content of a file: too large, or unknown format. */
const CONTENT_REJECTED = [413, 422]

/** Converts the errors of an import job to the form of files that were skipped locally. */
function leftOutOf({ result }: Job, { files }: ImportBatch): SkippedFile[] {
  const [only, other] = files
  const within = only && !other && only.way === 'archive' ? `${only.path}/` : ''
  return (result?.errors ?? []).map(({ file, line, reason, detail }) => {
    const name = file === undefined ? (only?.path ?? '') : `${within}${file}`
    const isWhole = line === 1 || reason === 'unsupported_file'
    return { file: isWhole ? name : `${name}:${line}`, kind: endingOf(name), reason, detail }
  })
}

function resultOf(jobs: Job[], leftOut: SkippedFile[]): Added {
  const total = (name: 'received' | 'written' | 'unchanged' | 'removed' | 'failed') =>
    jobs.reduce((sum, { result }) => sum + (result?.[name] ?? 0), 0)
  return {
    received: total('received'),
    written: total('written'),
    unchanged: total('unchanged'),
    removed: total('removed'),
    failed: total('failed'),
    left_out: leftOut,
    jobs,
  }
}

/** Milliseconds between polls of watched folders. A change is imported once two polls in a row see the same state. */
const POLL_MS = 2_000

/** Runs `work` once, and again whenever a file under these paths has changed, until SIGINT or SIGTERM. */
async function watchPaths(paths: readonly string[], work: () => Promise<number>): Promise<number> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  let done = ''
  let code = 0
  for (let last = ''; !stopping.signal.aborted; ) {
    const now = await stateOf(paths)
    if (now !== done && (now === last || done === '')) {
      done = now
      code = await work()
    }
    last = now
    await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
  }
  return code
}

/** Returns a fingerprint of the files: path, size and modification time of each. */
async function stateOf(paths: readonly string[]): Promise<string> {
  const findings = await Promise.all(paths.map(findFiles))
  const lines: string[] = []
  for (const { root, files } of findings) {
    for (const { path, bytes } of files) {
      const found = await stat(join(root, path)).catch(() => undefined)
      lines.push(`${root}/${path} ${bytes} ${found?.mtimeMs ?? 0}`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** Result of the whole command. */
interface Added {
  received: number
  written: number
  unchanged: number
  removed: number
  failed: number
  left_out: SkippedFile[]
  jobs: Job[]
}

/** Maximum number of skipped files listed per kind; the rest are only counted. */
const LISTED_MAX = 20

/** Returns the report for the user: counts of written records, and the skipped files by kind and reason. */
export function reportOf(added: Added, tookMs: number): string {
  const { written, unchanged, removed, failed, jobs, left_out: leftOut } = added
  const gone = removed > 0 ? `, ${count(removed, 'record')} removed` : ''
  const lines = [`${count(written, 'record')} written, ${unchanged} unchanged${gone}, in ${duration(tookMs)}.`]
  for (const { job_id: id, status, error_message: why } of jobs) {
    if (status !== 'completed') lines.push(`Job ${id} is ${status}: ${why ?? 'the service gave no reason'}`)
  }
  const kinds = new Map<string, SkippedFile[]>()
  for (const each of leftOut) {
    const key = `${each.kind}\n${each.detail}`
    kinds.set(key, [...(kinds.get(key) ?? []), each])
  }
  const named = jobs.reduce((sum, { result }) => sum + (result?.errors?.length ?? 0), 0)
  const inAll = leftOut.length + failed - named
  if (inAll > 0) lines.push(`Left out: ${inAll}`)
  for (const of of kinds.values()) {
    const [{ kind, detail }] = of as [SkippedFile]
    lines.push(`  ${kind || 'no extension'} (${of.length}): ${detail}`)
    lines.push(...of.slice(0, LISTED_MAX).map(({ file }) => `    ${file}`))
    if (of.length > LISTED_MAX) lines.push(`    and ${of.length - LISTED_MAX} more; --json lists all of them`)
  }
  if (failed > named) lines.push(`  ${failed - named} more that the service did not list`)
  if (leftOut.some(({ reason }) => reason === 'unsupported_file')) lines.push(`Supported: ${SUPPORTED_TYPES}.`)
  return `${lines.map(printable).join('\n')}\n`
}

/** Returns the line that reports embedding progress. Empty if no record needed embedding. */
export function embeddingReport({ done, waiting }: Embedded, tookMs: number): string {
  if (waiting > 0) {
    const are = waiting === 1 ? 'is' : 'are'
    return (
      `You can ask now; keyword search works. ${count(waiting, 'record')} ${are} not embedded yet for semantic ` +
      'search. The service continues in the background, and answers may change until it is done.\n'
    )
  }
  return done > 0 ? `All records are embedded for semantic search, after ${duration(tookMs)} in total.\n` : ''
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
