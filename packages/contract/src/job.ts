import { operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Choice, listing, Maybe, Moment, Page, PathId, ReplyId, type Static, Type as T } from './schema.ts'

/** States of a job. */
export const JOB_STATES = ['queued', 'processing', 'completed', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A record that failed without failing its job. */
export const FailedRecord = T.Object({
  line: T.Integer({ minimum: 1, description: 'Its line, or its place in what was sent, counted from 1.' }),
  file: T.Optional(T.String({ description: 'The file of an archive that it stands in.' })),
  external_id: T.Optional(T.String()),
  reason: T.String({ description: 'A stable code.' }),
  detail: T.String({ description: 'What is wrong, in a sentence.' }),
})
export type FailedRecord = Static<typeof FailedRecord>

/** Outcomes of a file of an import. */
export const FILE_STATES = ['read', 'unchanged', 'left_out', 'failed'] as const

/** A file of an import. */
export const ImportedFile = T.Object({
  path: T.String({ description: 'Its path, with those of the archives that it lies in.' }),
  status: Choice(FILE_STATES, {
    description:
      '`unchanged` when all of it was stored before; `left_out` when it holds nothing that is read here; `failed` ' +
      'when it could not be read, or not to its end.',
  }),
  reason: T.Optional(T.String({ description: 'Why it was not read, as a stable code.' })),
  records: T.Integer({ minimum: 0, description: 'Records that came of it.' }),
})
export type ImportedFile = Static<typeof ImportedFile>

/** Result of an ingest job. */
export const JobResult = T.Object(
  {
    received: T.Optional(T.Integer({ description: 'Records that came.' })),
    expected: T.Optional(
      T.Integer({
        description:
          'Of tables, lists, calendars and address books: records that are known to come, counted before the first ' +
          'of a file is written. Each of them counts against `max_records`, as each part of a long document does.',
      }),
    ),
    written: T.Optional(T.Integer({ description: 'Records added or replaced.' })),
    unchanged: T.Optional(T.Integer({ description: 'Records that were the same as before.' })),
    removed: T.Optional(T.Integer({ description: 'Records removed.' })),
    failed: T.Optional(T.Integer({ description: 'Records that failed alone.' })),
    record_id: T.Optional(T.String({ description: 'The record, of a job that brought one; once it is applied.' })),
    errors: T.Optional(T.Array(FailedRecord, { description: 'The first of those that failed.' })),
    files: T.Optional(
      T.Array(ImportedFile, {
        description:
          'Of an import, at most 100 of its files, those that were not read first; the run of its source lists all. ' +
          'Under a caller’s key only with the key.',
      }),
    ),
  },
  { additionalProperties: true },
)
export type JobResult = Static<typeof JobResult>

/** A job: accepted work that runs in the background. */
export const Job = T.Object({
  job_id: ReplyId('job', 'The job’s id.'),
  status: Choice(JOB_STATES),
  job_type: T.String({ description: 'What kind of work it is.' }),
  encrypted: T.Boolean({ description: 'Whether its content is under the caller’s key.' }),
  sandbox_id: T.Optional(ReplyId('sandbox', 'The sandbox it works on.')),
  source_id: T.Optional(T.String({ description: 'The source it works on; not for who is limited to a project.' })),
  result: Maybe(JobResult),
  error_message: Maybe(T.String({ description: 'Why it failed or waits.' })),
  retry_count: T.Integer({ minimum: 0 }),
  children: T.Optional(T.Array(T.String(), { description: 'Jobs it was split into.' })),
  created_at: Moment('When it was accepted.'),
  started_at: Maybe(Moment('When work on it began.')),
  completed_at: Maybe(Moment('When it ended.')),
})
export type Job = Static<typeof Job>

/** One page of jobs. */
export const JobPage = Page('jobs', Job)
export type JobPage = Static<typeof JobPage>

const read = { ...READ, tag: 'Ingest', access: 'viewer', content: 'mentions' } as const

/** Operations to show jobs. */
export const jobOperations = {
  getJob: operation({
    ...read,
    path: '/api/v1/storage/sandboxes/:sandbox_id/ingest/:job_id',
    summary: 'Show how far a job is',
    params: T.Object({ ...sandboxParams, job_id: PathId('The job.', 'job') }),
    reply: { json: Job },
    faults: [],
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
