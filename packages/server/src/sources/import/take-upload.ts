import type { Accepted, Job } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { BodyReading, Reply } from '../../tenancy/handler.ts'
import { isMail, isMbox, readMail, readMbox } from '../connectors/email/read-mbox.ts'
import { type ExportFiles, type ReaderTools, wholeFile } from '../connectors/export-reader.ts'
import { formatOfFiles, readFiles } from '../connectors/exports.ts'
import type { Opened } from './open-upload.ts'
import { takeJson } from './take-json.ts'
import { takeLines } from './take-lines.ts'
import { sourceOf, type Target, take, toLine, toLines } from './target.ts'

/** Takes an export that is a file: an archive by what is in it, another file by its first bytes. */
export function takeUpload(target: Target, opened: Opened, reading: BodyReading): Promise<Reply<Accepted | Job>> {
  return 'files' in opened ? takeFiles(target, opened.files, reading) : takeFile(target, opened, reading)
}

async function takeFiles(target: Target, files: ExportFiles, reading: BodyReading): Promise<Reply<Accepted | Job>> {
  const tools = (scope: string): ReaderTools => ({ scope, json: (bytes) => reading.json(Buffer.from(bytes)) })
  const asked = target.query.format
  const format = asked === 'cairn' ? undefined : (asked ?? (await formatOfFiles(files, tools(''))))
  if (format === undefined) throw new Fault('unknown_format')
  const source = await sourceOf(target, format)
  return take(target, toLines(readFiles(format, files, tools(source.id))), { source, isStream: true })
}

const JSON_START = /^\ufeff?\s*[[{]/

async function takeFile(
  target: Target,
  { head, spool }: Exclude<Opened, { files: ExportFiles }>,
  reading: BodyReading,
): Promise<Reply<Accepted | Job>> {
  const { format } = target.query
  if (JSON_START.test(head.toString('utf8'))) {
    const whole = await wholeFile({ name: '', bytes: spool.bytes, open: () => spool.read() })
    const value = 'error' in whole ? undefined : oneValue(reading, whole.bytes)
    return value === undefined ? takeLines(target, reading.lines(spool.read())) : takeJson(target, value)
  }
  if (isMbox(head)) {
    const source = await sourceOf(target, 'mbox')
    return take(target, toLines(readMbox(spool.read())), { source, isStream: true })
  }
  if (!isMail(head) || (format !== undefined && format !== 'mbox')) throw new Fault('unknown_format')
  const whole = await wholeFile({ name: '', bytes: spool.bytes, open: () => spool.read() })
  const read = 'error' in whole ? whole : await readMail(whole.bytes)
  const source = await sourceOf(target, 'mbox')
  return take(target, [toLine({ line: 1, ...read })], { source, isStream: true })
}

/** The JSON value of a whole file; undefined for one of several lines that are values by themselves. */
function oneValue(reading: BodyReading, bytes: Uint8Array): unknown {
  try {
    return reading.json(Buffer.from(bytes))
  } catch (cause) {
    if (cause instanceof Fault && cause.reason === 'malformed_json' && bytes.includes(NEWLINE)) return undefined
    throw cause
  }
}

const NEWLINE = 0x0a
