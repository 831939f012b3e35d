import { sep } from 'node:path'
import { type CallOptions, tarOf } from '@cairnstore/client'
import { type Job, operations } from '@cairnstore/contract'
import { call } from '../call.ts'
import type { OperationInput } from '../inputs.ts'
import type { OutputRow } from '../output.ts'
import { usageFailure } from '../output.ts'
import { type Progress, size, untilEnded } from '../progress.ts'
import { homeFolder, type Settings } from '../settings.ts'
import type { FoundFile, FoundPath } from './find-files.ts'

/** Content of one import request. */
export interface ImportBatch {
  /** Title for the progress display. */
  title: string
  files: readonly FoundFile[]
  content: UploadContent
  /** Import format, if the file names determine it. */
  format: string | undefined
  /** Name of the target source: the path on this machine, so that another import replaces what changed. */
  sourceName: string
  /** Path of a file that is sent by itself without a container that names it. */
  path?: string
}

/** Maximum bytes per tar. The service accepts 1 GiB and 100,000 files per request. */
const TAR_BYTES_MAX = 512 * 1024 * 1024
const TAR_FILES_MAX = 50_000
const NAME_CHARS_MAX = 255
const SLACK_LISTS = ['users.json', 'channels.json']

/**
 * Groups the found files into import requests. Documents are sent together, because they link to each other, and
 * archives one by one. With `isWhole` (`--sync`), JSON files are sent together with the documents.
 */
export function importBatchesOf({ root, files }: FoundPath, isWhole = false): ImportBatch[] {
  const names = new Set(files.map(({ path }) => path))
  const isSlack = SLACK_LISTS.every((name) => names.has(name))
  const isJson = ({ way }: FoundFile) => way === 'lines' || (way === 'export' && !isSlack)
  const together = (way: FoundFile['way'], format: string | undefined, what: string) =>
    tarsOf(
      files.filter((file) => file.way === way || (isWhole && way === 'documents' && isJson(file))),
      isWhole,
    ).map((part) => ({
      title: part.length === 1 ? part[0]!.path : `${part.length} ${what}`,
      files: part,
      content: {
        open: () => tarOf(part),
        type: 'application/x-tar',
        bytes: part.reduce((sum, { bytes }) => sum + bytes, 0),
      },
      format,
      sourceName: sourceNameOf(root),
    }))
  const alone = (file: FoundFile) => ({
    title: file.path,
    files: [file],
    content: {
      open: file.open,
      type: file.way === 'lines' ? 'application/x-ndjson' : 'application/octet-stream',
      bytes: file.bytes,
    },
    format: undefined,
    sourceName: sourceNameOf(file.way === 'archive' ? `${root}${sep}${file.path}` : root),
    ...((file.way !== 'archive' || isOneFile(file.path)) && { path: file.path.replace(/\.gz$/i, '') }),
  })
  const byThemselves = files.filter((file) => file.way === 'archive' || (!isWhole && isJson(file)))
  return [
    ...together('documents', 'documents', 'documents and mails'),
    ...together('mailboxes', 'mbox', 'mailboxes'),
    ...(isSlack ? together('export', 'slack', 'files of a Slack export') : []),
    ...byThemselves.map(alone),
  ]
}

/** Returns true if a compressed file contains a single file and not an archive. */
function isOneFile(path: string): boolean {
  return /\.gz$/i.test(path) && !/\.tar\.gz$/i.test(path)
}

function tarsOf(files: readonly FoundFile[], isWhole: boolean): FoundFile[][] {
  const parts: FoundFile[][] = []
  let bytesLeft = 0
  for (const file of files) {
    const last = parts.at(-1)
    if (!last || bytesLeft < file.bytes || last.length === TAR_FILES_MAX) {
      parts.push([file])
      bytesLeft = TAR_BYTES_MAX - file.bytes
    } else {
      last.push(file)
      bytesLeft -= file.bytes
    }
  }
  if (isWhole && parts.length > 1) throw usageFailure(TOO_LARGE_TO_SYNC)
  return parts
}

const TOO_LARGE_TO_SYNC =
  'With --sync, a folder may have at most 512 MiB and 50000 files of a kind. Sync its subfolders one by one.'

/** Returns a path as the user would write it, with `~` for the home folder. Keeps only the end of a long path. */
function sourceNameOf(path: string): string {
  const home = homeFolder()
  const short = path === home ? '~' : path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path
  const characters = [...short]
  return characters.length <= NAME_CHARS_MAX ? short : `…${characters.slice(1 - NAME_CHARS_MAX).join('')}`
}

/** Content of an upload. It is reopened when the request is sent again. */
export interface UploadContent {
  open(): AsyncIterable<Uint8Array>
  type: string
  /** Approximate size in bytes for the progress display; undefined if unknown. */
  bytes: number | undefined
}

/** Timeout of one day: the service throttles imports to the sandbox's rate, so the reply can take hours. */
const LONG_TIMEOUT: CallOptions = { timeoutMs: 86_400_000 }

/** Uploads content to be imported and returns the completed job. Throws Failure if the service rejects it. */
export async function upload(
  input: OperationInput,
  { open, type, bytes }: UploadContent,
  settings: Settings,
  { progress, title }: { progress: Progress; title: string },
): Promise<Job> {
  const content = () => {
    progress.begin(`Sending ${title}`, bytes, size)
    return counted(open(), bytes, progress, `Reading ${title}`)
  }
  const sent = await call(operations.importKnowledge, { ...input, content, content_type: type }, settings, LONG_TIMEOUT)
  return waitForJob(sent as OutputRow, input, settings, progress)
}

/** Passes the content through and reports the bytes sent. After the last byte it shows the step `then`. */
async function* counted(
  content: AsyncIterable<Uint8Array>,
  bytes: number | undefined,
  progress: Progress,
  then: string,
): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const part of content) {
    yield part
    sent += part.length
    if (bytes !== undefined) progress.setDone(Math.min(sent, bytes))
  }
  progress.begin(then, undefined)
}

/** Waits until the job of a request has ended, and returns it. */
export async function waitForJob(
  sent: OutputRow,
  { sandbox_id }: OperationInput,
  settings: Settings,
  progress: Progress,
): Promise<Job> {
  const input = { sandbox_id, job_id: sent.job_id }
  return (await untilEnded(sent, () => call(operations.getJob, input, settings), progress)) as unknown as Job
}
