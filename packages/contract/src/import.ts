import { Accepted } from './ingest.ts'
import { Job } from './job.ts'
import { CONTENT_BYTES_MAX, INGEST, operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Choice, GivenId, Name, preferHeader, type Static, Type as T } from './schema.ts'

export const IMPORT_FORMATS = [
  ...(['cairn', 'chatgpt', 'claude', 'letta', 'mem0', 'graphiti', 'cognee', 'slack'] as const),
  ...(['mbox', 'documents', 'markdown'] as const),
] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

/** Media types of an import file. Its format is detected from the content. */
export const IMPORT_FILES = ['multipart/form-data', '*/*'] as const

/** Maximum length of the path of a single-file upload. */
const PATH_CHARS_MAX = 1_024

export const ImportQuery = T.Object({
  format: T.Optional(Choice(IMPORT_FORMATS, { description: 'The format of the export. Default: detected.' })),
  data_source_id: T.Optional(GivenId('The source for all records, instead of a new one.')),
  source_name: T.Optional(Name('The name of the source for the records. It is created if it does not exist.')),
  sync: T.Optional(
    T.Boolean({
      default: false,
      description:
        'True if the files are the complete content of the named source. Its records that are in none of the files ' +
        'are removed after all files are read. Records of a file that cannot be read stay. If no file can be read, ' +
        'nothing is removed.',
    }),
  ),
  project_id: T.Optional(GivenId('The project of all records that name none.')),
  path: T.Optional(
    T.String({
      minLength: 1,
      maxLength: PATH_CHARS_MAX,
      description: 'The path of a single file. Sending the same path again updates its records.',
    }),
  ),
})
export type ImportQuery = Static<typeof ImportQuery>

/** An export as JSON: an object or a list. */
const Exported = T.Unsafe<unknown>({
  type: ['object', 'array'],
  items: {},
  description:
    'An export of Cairn, ChatGPT, Claude, Letta, mem0, Graphiti or Cognee, as it was written, or a list of objects ' +
    'of any shape.',
})

/** Operations to import knowledge from other products. */
export const importOperations = {
  importKnowledge: operation({
    ...INGEST,
    path: '/api/v1/storage/sandboxes/:sandbox_id/import',
    tag: 'Ingest',
    summary: 'Import an export of Cairn or of another product',
    description:
      'Accepts the output of `GET …/export`, exports of ChatGPT, Claude, Letta, mem0, Graphiti, Cognee and Slack, ' +
      'and files in supported formats: PDF, Office and OpenDocument files, tables, web pages, books, calendars, ' +
      'address books, mails, notes, ' +
      'code, and archives of these. JSON has at most 16 MiB, NDJSON at most 1 MiB a line; anything else is a file, ' +
      'or a form with files. An invalid record fails without affecting the others; its position and the reason are ' +
      'in the job’s result. A single file that cannot be read gets 422 unless it was accepted before. An ' +
      'accepted import continues after a crash. Repeating an import changes nothing.',
    audit: { event: 'content.imported' },
    params: T.Object(sandboxParams),
    query: ImportQuery,
    headers: T.Object(preferHeader),
    body: {
      json: Exported,
      example: { results: [{ id: '1', memory: 'Prefers the morning ferry.', user_id: 'ana' }] },
      ndjson: T.Object({}, { additionalProperties: true, description: 'One line of the export.' }),
      files: IMPORT_FILES,
      bytesMax: CONTENT_BYTES_MAX,
    },
    reply: {
      json: Accepted,
      otherwise: { status: 200, json: Job, when: 'The job finished within the time in Prefer.' },
    },
    faults: [
      'sandbox_not_active',
      'source_not_active',
      'project_archived',
      'quota_exceeded',
      'unknown_format',
      'unsupported_file',
      'unreadable_archive',
      'encrypted_archive',
      'unsafe_path',
      'archive_too_large',
    ],
  }),
}
