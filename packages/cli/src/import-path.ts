import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tarOf } from '@cairnstore/client'
import { type Job, operations } from '@cairnstore/contract'
import { findFiles } from './adding/find-files.ts'
import { type UploadContent, upload } from './adding/import-batches.ts'
import { sandboxOf } from './call.ts'
import { type ParsedArguments, toOperationInput } from './inputs.ts'
import { EXIT_FAILED, fieldsTable, jsonText, note, type OutputRow, print, printable, usageFailure } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { openProgress } from './progress.ts'
import { readSettings } from './settings.ts'

const LINES = /\.(?:ndjson|jsonl)$/i
/** Methods of the files of a folder that are sent. Archives within a folder are not. */
const WITHIN_FOLDERS = ['documents', 'mailboxes', 'export']
const { importKnowledge } = operations

/** Command that sends one export unchanged. Its options derive from the operation. */
export const IMPORT: OwnCommand = {
  words: ['import'],
  operands: '[SANDBOX_ID] PATH',
  summary: importKnowledge.summary,
  about: importKnowledge.description,
  access: importKnowledge.access,
  given: {
    SANDBOX_ID: 'The sandbox. Default: that of --sandbox or the profile.',
    PATH: 'A file, or a folder whose documents, mails and JSON files are imported together.',
  },
  options: {},
  operation: importKnowledge,
  isInside: true,
  examples: ['import slack-export.zip', 'import all-mail.mbox --source-name "Old mail"'],
  run: importPath,
}

/** Uploads a file or a folder, waits until it is imported, and prints the result. */
async function importPath({ operands, options }: ParsedArguments): Promise<number> {
  const path = operands.at(-1)
  if (!path || operands.length > 2) throw usageFailure(`Usage: cairn import ${IMPORT.operands}`)
  const typed = toOperationInput(importKnowledge, [], options, ['sandbox_id'])
  const content = await contentOf(path)
  const given = operands.length === 2 ? { ...options, sandbox: operands[0] } : options
  const settings = readSettings(importKnowledge.access, given)
  const input = { ...typed, sandbox_id: await sandboxOf(settings) }
  const progress = openProgress(settings.isQuiet)
  try {
    const job = await upload(input, content.content, settings, { progress, title: path })
    progress.end()
    if (content.leftOut > 0 && options.json !== true) {
      note(
        settings,
        `${content.leftOut} files of other kinds were not sent. \`cairn add\` lists the files that it skips.`,
      )
    }
    await print(options.json === true ? jsonText(job) : forPeople(job))
    return job.status === 'completed' ? 0 : EXIT_FAILED
  } finally {
    progress.end()
  }
}

async function contentOf(path: string): Promise<{ content: UploadContent; leftOut: number }> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw usageFailure(`"${path}" does not exist.`)
  if (!found.isDirectory()) {
    const type = LINES.test(path) ? 'application/x-ndjson' : 'application/octet-stream'
    return { content: { open: () => createReadStream(path), type, bytes: found.size }, leftOut: 0 }
  }
  const { files, leftOut } = await findFiles(path)
  const sent = files.filter(({ way }) => WITHIN_FOLDERS.includes(way))
  if (sent.length === 0)
    throw usageFailure(
      `"${path}" contains no files to import. Archives in a folder are not unpacked; import them separately.`,
    )
  const bytes = sent.reduce((sum, file) => sum + file.bytes, 0)
  const content = { open: () => tarOf(sent), type: 'application/x-tar', bytes }
  return { content, leftOut: leftOut.length + files.length - sent.length }
}

function forPeople({ job_id, status, result, error_message }: Job): string {
  const { errors = [], ...counts } = result ?? {}
  const named = errors.map(
    ({ file, line, reason, detail }) => `${[file, line].filter(Boolean).join(':')}: ${detail} (${reason})`,
  )
  const failure = error_message ? { error_message } : {}
  return [
    fieldsTable({ job_id, status, ...counts, ...failure } as OutputRow),
    ...named.map((each) => `${printable(each)}\n`),
  ].join('')
}
