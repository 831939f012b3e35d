import { operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Choice, listing, Maybe, Moment, Page, PathId, ReplyId, type Static, Type as T } from './schema.ts'

export const JOB_STATES = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A record that failed without failing its job. */
export const FailedRecord = T.Object({
  line: T.Integer({ minimum: 1, description: 'Its line or position in the request, from 1.' }),
  file: T.Optional(T.String({ description: 'Its file in an archive.' })),
  external_id: T.Optional(T.String()),
  reason: T.String({ description: 'A stable code.' }),
  detail: T.String({ description: 'The problem in a sentence.' }),
})
export type FailedRecord = Static<typeof FailedRecord>

/** Outcomes of a file of an import. */
export const FILE_STATES = ['read', 'unchanged', 'left_out', 'failed'] as const

export const ImportedFile = T.Object({
  path: T.String({ description: 'Its path, including the paths of the archives that contain it.' }),
  status: Choice(FILE_STATES, {
    description:
      '`unchanged` if everything was already stored; `left_out` if its format is not supported; `failed` ' +
      'if it could not be read completely.',
  }),
  reason: T.Optional(T.String({ description: 'The reason why it was not read, as a stable code.' })),
  records: T.Integer({ minimum: 0, description: 'Number of records from it.' }),
})
export type ImportedFile = Static<typeof ImportedFile>

export const JobResult = T.Object(
  {
    received: T.Optional(T.Integer({ description: 'Number of records received.' })),
    expected: T.Optional(
      T.Integer({
        description:
          'For tables, lists, calendars and address books: the expected number of records, counted before the first ' +
          'record of a file is written. Each counts against `max_records`, as does each part of a long document.',
      }),
    ),
    written: T.Optional(T.Integer({ description: 'Records added or replaced.' })),
    unchanged: T.Optional(T.Integer({ description: 'Unchanged records.' })),
    removed: T.Optional(T.Integer({ description: 'Records removed.' })),
    failed: T.Optional(T.Integer({ description: 'Records that failed individually.' })),
    record_id: T.Optional(T.String({ description: 'The record of a job with a single record, once it is applied.' })),
    errors: T.Optional(T.Array(FailedRecord, { description: 'The first failed records.' })),
    files: T.Optional(
      T.Array(ImportedFile, {
        description:
          'At most 100 files of an import, unread ones first; the run of its source lists all. ' +
          'In a sandbox with a customer-managed key, only with the key.',
      }),
    ),
  },
  { additionalProperties: true },
)

/** A job: accepted work that runs in the background. */
export const Job = T.Object({
  job_id: ReplyId('job', 'The job’s id.'),
  status: Choice(JOB_STATES),
  job_type: T.String({ description: 'The kind of work.' }),
  encrypted: T.Boolean({ description: 'True if its content is encrypted with the customer-managed key.' }),
  sandbox_id: T.Optional(ReplyId('sandbox', 'The sandbox of the job.')),
  source_id: T.Optional(
    T.String({ description: 'The source of the job; absent if your grant is limited to a project.' }),
  ),
  result: Maybe(JobResult),
  error_message: Maybe(T.String({ description: 'The reason for a failure or a delay.' })),
  retry_count: T.Integer({ minimum: 0 }),
  children: T.Optional(T.Array(T.String(), { description: 'Jobs it was split into.' })),
  created_at: Moment('When the job was accepted.'),
  started_at: Maybe(Moment('When work on it began.')),
  completed_at: Maybe(Moment('When it ended.')),
})
export type Job = Static<typeof Job>

export const JobPage = Page('jobs', Job)
export type JobPage = Static<typeof JobPage>

const read = { ...READ, tag: 'Ingest', access: 'viewer', content: 'mentions' } as const

export const jobOperations = {
  getJob: operation({
    ...read,
    path: '/api/v1/storage/sandboxes/:sandbox_id/ingest/:job_id',
    summary: 'Show the state of a job',
    params: T.Object({ ...sandboxParams, job_id: PathId('The job.', 'job') }),
    reply: { json: Job },
  }),
  listJobs: operation({
    ...read,
    path: '/api/v1/storage/sandboxes/:sandbox_id/jobs',
    summary: 'List the jobs of a sandbox, newest first',
    params: T.Object(sandboxParams),
    ...listing(JobPage, {
      status: T.Optional(Choice(JOB_STATES, { description: 'Only jobs in this state.' })),
    }),
  }),
}
