import { homedir } from 'node:os'
import { sep } from 'node:path'
import { tarOf } from '@cairnstore/client'
import { usageFailure } from '../failure.ts'
import type { UploadContent } from '../upload.ts'
import type { FoundFile, FoundPath } from './files-in.ts'

/** What is sent at once. */
export interface Parcel {
  /** What a person reads while it is sent. */
  title: string
  files: readonly FoundFile[]
  content: UploadContent
  /** The format, where the names of the files say it. */
  format: string | undefined
  /** What the source is called that it goes to: where it came from, so that the same place replaces what changed. */
  sourceName: string
  /** The path of a file that is sent by itself and has none within it. */
  path?: string
}

/** Of what one tar holds; the service takes a GiB and 100 000 files at once. */
const TAR_BYTES_MAX = 512 * 1024 * 1024
const TAR_FILES_MAX = 50_000
const NAME_CHARS_MAX = 255
const SLACK_LISTS = ['users.json', 'channels.json']

/**
 * What was found, as it is sent: documents together, for they link to each other, and what is packed by itself. Of a
 * folder that is to be the whole of its source, JSON goes with the documents.
 */
export function parcelsOf({ root, files }: FoundPath, isWhole = false): Parcel[] {
  const place = placeOf(root)
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
      sourceName: place,
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
    sourceName: file.way === 'archive' ? placeOf(`${root}${sep}${file.path}`) : place,
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

/** Whether what is packed is one file, which has a name of its own. */
function isOneFile(path: string): boolean {
  return /\.gz$/i.test(path) && !/\.tar\.gz$/i.test(path)
}

function tarsOf(files: readonly FoundFile[], isWhole: boolean): FoundFile[][] {
  const parts: FoundFile[][] = []
  let room = 0
  for (const file of files) {
    const last = parts.at(-1)
    if (!last || room < file.bytes || last.length === TAR_FILES_MAX) {
      parts.push([file])
      room = TAR_BYTES_MAX - file.bytes
    } else {
      last.push(file)
      room -= file.bytes
    }
  }
  if (isWhole && parts.length > 1) throw usageFailure(TOO_MUCH_AT_ONCE)
  return parts
}

const TOO_MUCH_AT_ONCE =
  'With --sync a folder has at most 512 MiB and 50000 files of a kind. Give its folders one by one.'

/** A place of this machine as its user writes it; the end of one that is too long for a name. */
export function placeOf(path: string): string {
  const home = homedir()
  const short = path === home ? '~' : path.startsWith(`${home}${sep}`) ? `~${path.slice(home.length)}` : path
  const characters = [...short]
  return characters.length <= NAME_CHARS_MAX ? short : `…${characters.slice(1 - NAME_CHARS_MAX).join('')}`
}
