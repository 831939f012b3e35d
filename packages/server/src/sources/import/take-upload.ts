import { Readable } from 'node:stream'
import type { Accepted, Job } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import { isToldOther } from '../../documents/detect.ts'
import type { BodyReading, Reply } from '../../tenancy/handler.ts'
import { isMail, isMbox, readMbox } from '../connectors/email/read-mbox.ts'
import { type ExportFiles, type ReaderTools, wholeFile } from '../connectors/export-reader.ts'
import { formatOfFiles, isOfDocuments, readFiles } from '../connectors/exports.ts'
import type { Opened } from './open-upload.ts'
import { type ReadingFiles, readDocuments } from './read-documents.ts'
import { openRecognising } from './recognise.ts'
import type { Spool } from './spool.ts'
import { takeItems } from './take-items.ts'
import { formatOfValue, takeJson } from './take-json.ts'
import { takeLines } from './take-lines.ts'
import { sourceOf, type Target } from './target.ts'

/** Takes an export that is a file: an archive by what is in it, another file by its first bytes. */
export function takeUpload(target: Target, opened: Opened, reading: BodyReading): Promise<Reply<Accepted | Job>> {
  return 'files' in opened ? takeFiles(target, opened.files, reading) : takeFile(target, opened, reading)
}

async function takeFiles(target: Target, files: ExportFiles, reading: BodyReading): Promise<Reply<Accepted | Job>> {
  const tools = (scope: string): ReaderTools => ({ scope, json: (bytes) => reading.json(Buffer.from(bytes)) })
  const asked = target.query.format
  if (asked === 'cairn' || files.names.length === 0) throw new Fault('unknown_format')
  const format = asked ?? (await formatOfFiles(files, tools(''))) ?? 'documents'
  if (isOfDocuments(format)) return takeDocuments(target, files)
  const source = await sourceOf(target, format)
  return takeItems(target, readFiles(format, files, tools(source.id)), source)
}

/** Takes files each as what it is by itself. */
async function takeDocuments(target: Target, files: ExportFiles, type?: string): Promise<Reply<Accepted | Job>> {
  const source = await sourceOf(target, 'documents')
  return takeItems(target, readDocuments(readingOf(target, source.id, { files, type })), source)
}

function readingOf(target: Target, scope: string, files: Pick<ReadingFiles, 'files' | 'type'>): ReadingFiles {
  return { ...files, scope, takeTurn: target.ctx.spools.takeTurn, recognise: openRecognising(target) }
}

const JSON_START = /^\ufeff?\s*[[{]/

async function takeFile(
  target: Target,
  { head, spool, type }: Exclude<Opened, { files: ExportFiles }>,
  reading: BodyReading,
): Promise<Reply<Accepted | Job>> {
  const { format, path = '' } = target.query
  const file = { name: path, bytes: spool.bytes, open: () => spool.read() }
  const alone = { names: [path], files: () => Readable.from([file]) }
  if (spool.bytes === 0) throw new Fault('unknown_format', { detail: 'There is nothing in the file.' })
  if (format && format !== 'cairn' && isOfDocuments(format)) return takeDocuments(target, alone, type)
  if (JSON_START.test(head.toString('utf8')) && !isToldOther(head.toString('latin1'), path, type)) {
    const whole = await wholeFile(file)
    const value = 'error' in whole ? undefined : oneValue(reading, whole.bytes)
    if (value !== undefined && formatOfValue(value)) return takeJson(target, value)
    if (value === undefined && (format || (await isLines(spool)))) return takeLines(target, reading.lines(spool.read()))
    if (format) throw new Fault('unknown_format')
  }
  if (isMbox(head)) {
    const source = await sourceOf(target, 'mbox')
    return takeItems(target, readMbox(spool.read()), source)
  }
  if (format && format !== 'mbox') throw new Fault('unknown_format')
  if (!isMail(head)) return takeDocuments(target, alone, type)
  const source = await sourceOf(target, 'mbox')
  return takeItems(target, readDocuments(readingOf(target, source.id, { files: alone, type })), source)
}

/** Whether a file begins with a line that is JSON by itself. */
async function isLines(spool: Spool): Promise<boolean> {
  const parts: Buffer[] = []
  for await (const part of spool.read(0, Math.min(spool.bytes, LINE_BYTES_MAX))) {
    parts.push(part as Buffer)
    if ((part as Buffer).includes('\n')) break
  }
  const [first = ''] = Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
    .split('\n', 1)
  try {
    return typeof JSON.parse(first) === 'object'
  } catch {
    return false
  }
}

/** The longest line that is taken. */
const LINE_BYTES_MAX = 1024 * 1024

/** The JSON value of a whole file; undefined for one that is none. */
function oneValue(reading: BodyReading, bytes: Uint8Array): unknown {
  try {
    return reading.json(Buffer.from(bytes))
  } catch (cause) {
    if (cause instanceof Fault && cause.reason === 'malformed_json') return undefined
    throw cause
  }
}
