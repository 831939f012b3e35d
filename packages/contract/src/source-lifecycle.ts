import { DeliveryPage } from './delivery.ts'
import { ImportedFile, JOB_STATES } from './job.ts'
import { CHANGE, operation, READ } from './operation.ts'
import {
  Choice,
  Done,
  listing,
  Maybe,
  Moment,
  Nullable,
  Page,
  PathId,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'
import { Source, sourceParams } from './source.ts'

const GRACE_SECONDS_MAX = 24 * 60 * 60

/** Request body to rotate a webhook secret. */
export const RotateSecret = T.Object({
  grace_seconds: T.Optional(
    T.Integer({
      minimum: 0,
      maximum: GRACE_SECONDS_MAX,
      default: 0,
      description: 'Seconds for which the old secret still works.',
    }),
  ),
})
export type RotateSecret = Static<typeof RotateSecret>

/** Request body to purge a source. */
export const PurgeSource = T.Object({
  delete_source: T.Optional(T.Boolean({ default: false, description: 'Remove the registration too.' })),
})
export type PurgeSource = Static<typeof PurgeSource>

const Count = (description: string) => T.Integer({ minimum: 0, description })
const ALWAYS_ZERO = 'Always 0; for compatibility.'

/** Response to a purge, with counts by kind. It has exactly these fields, because clients validate strictly. */
export const PurgedSource = T.Object({
  success: T.Boolean({ description: 'Always true; a failure gets an error reply.' }),
  delete_source_applied: T.Boolean({ description: 'True if the registration is removed too.' }),
  events_deleted: Count('Records.'),
  extractions_deleted: Count('Relations that only these records stated.'),
  canonical_index_rows_deleted: Count('Entities that only these records supported.'),
  entity_vectors_deleted: Count(ALWAYS_ZERO),
  triggers_deleted: Count(ALWAYS_ZERO),
  webhooks_deleted: Count('Webhook secrets, with `delete_source`.'),
  event_seen_deleted: Count(ALWAYS_ZERO),
  project_links_deleted: Count('Links to projects, with `delete_source`.'),
  strategy_artifacts_deleted: Count(ALWAYS_ZERO),
  pull_artifacts_deleted: Count(ALWAYS_ZERO),
  user_strategies_deleted: Count(ALWAYS_ZERO),
  vault_objects_deleted: Count('Files, or objects in the object store.'),
})
export type PurgedSource = Static<typeof PurgedSource>

/** Request body to pull a source. */
export const PullSource = T.Object({
  since: Maybe(Moment('Read all changes since this time again. A time after the last read has no effect.')),
})
export type PullSource = Static<typeof PullSource>

/** Response to a pull request. */
export const PulledSource = T.Object({
  job_id: ReplyId('job', 'The job: the waiting or running one if there is one.'),
  job_type: Choice(['data_source_pull']),
  status: Choice(['queued']),
})
export type PulledSource = Static<typeof PulledSource>

/** One run: records delivered by a source or pulled from it. */
export const SourceRun = T.Object({
  job_id: ReplyId('job', 'The job of the run.'),
  job_type: T.String({ description: 'The kind of work.' }),
  status: Choice(JOB_STATES),
  counts: T.Object({
    received: T.Integer(),
    written: T.Integer(),
    removed: T.Integer(),
    failed: T.Integer(),
  }),
  progress: T.Object(
    {
      done: T.Integer({ description: 'Records that were applied or failed.' }),
      total: Nullable(T.Integer({ description: 'Total records; null while more may arrive.' })),
      records_per_second: Nullable(T.Number({ description: 'Mean rate since work on it began; null before.' })),
    },
    { description: 'The state of the run.' },
  ),
  error: Nullable(T.String({ description: 'The reason for a failure or a delay.' })),
  created_at: Moment('When it was accepted.'),
  started_at: Nullable(Moment('When work on it began.')),
  completed_at: Nullable(Moment('When it ended.')),
  files: T.Optional(
    T.Array(ImportedFile, {
      description: 'For an import of the last 30 days: at most 20 of its files, unread ones first.',
    }),
  ),
})
export type SourceRun = Static<typeof SourceRun>

export const RunPage = Page('runs', SourceRun)
export type RunPage = Static<typeof RunPage>

export const RunFilePage = Page('files', ImportedFile)
export type RunFilePage = Static<typeof RunFilePage>

const tag = 'Sources'
const path = '/api/v1/storage/sandboxes/:sandbox_id/sources/:source_id'
const params = T.Object(sourceParams)
const change = { ...CHANGE, tag, access: 'editor', params, reply: { json: Done } } as const
const read = { ...READ, tag, access: 'viewer', params } as const

/** Operations that change a source's state, pull it, or remove it and its records. */
export const sourceLifecycleOperations = {
  pauseSource: operation({
    ...change,
    path: `${path}/pause`,
    summary: 'Pause a source',
    description: 'It rejects deliveries and records (409) and does not poll. Has no effect on a paused source.',
    audit: { event: 'source.paused' },
    faults: ['sandbox_not_active', 'source_not_active'],
  }),
  resumeSource: operation({
    ...change,
    path: `${path}/resume`,
    summary: 'Reactivate a paused, failing or archived source',
    description: 'Has no effect on an active source.',
    audit: { event: 'source.resumed' },
    faults: ['sandbox_not_active', 'source_not_active', 'quota_exceeded'],
  }),
  disconnectSource: operation({
    ...change,
    path: `${path}/disconnect`,
    summary: 'Disconnect a source permanently',
    description: 'It delivers nothing more; its knowledge stays. Has no effect on a disconnected source.',
    audit: { event: 'source.disconnected' },
    faults: ['sandbox_not_active'],
  }),
  rotateWebhookSecret: operation({
    ...change,
    path: `${path}/rotate-webhook-secret`,
    summary: 'Give a realtime source a new webhook secret',
    description:
      'The new secret is only in this reply. The old one works for another `grace_seconds`; an even older one ' +
      'stops working immediately.',
    audit: { event: 'source.secret_rotated' },
    retry: 'keyed',
    versioned: true,
    body: { json: RotateSecret, example: { grace_seconds: 3600 } },
    reply: { json: Source },
    faults: ['sandbox_not_active', 'source_not_active', 'not_realtime'],
  }),
  pullSource: operation({
    ...change,
    path: `${path}/pull`,
    summary: 'Pull new data from the provider now',
    description:
      'Runs in the background; the job shows the state. A source has one pull at a time: if one waits ' +
      'or runs, no second one starts. An archived source is reactivated. A source whose credential is encrypted with ' +
      'the customer-managed key can be pulled only with that key.',
    audit: { event: 'source.pulled' },
    content: 'credentials',
    body: { json: PullSource, example: { since: '2026-05-04T12:00:00Z' } },
    reply: { json: PulledSource },
    status: 202,
    faults: ['sandbox_not_active', 'source_not_active', 'needs_authorization', 'not_pullable', 'quota_exceeded'],
  }),
  purgeSource: operation({
    ...change,
    path: `${path}/purge`,
    summary: 'Erase everything that a source delivered',
    description:
      'Removes its records with the names, identifiers, entities and relations that only they supported. The reply ' +
      'comes when that is done. If the connection ends earlier, the purge continues; another call waits for it.',
    audit: { event: 'source.purged' },
    content: 'reads',
    body: { json: PurgeSource, example: { delete_source: true } },
    reply: { json: PurgedSource },
    faults: ['sandbox_not_active'],
  }),
  deleteSource: operation({
    ...change,
    method: 'DELETE',
    path,
    summary: 'Remove a source’s registration but keep its data',
    description: 'Records that it delivered before are still ingested. To erase them too, purge the source first.',
    audit: { event: 'source.deleted' },
    versioned: true,
    faults: ['sandbox_not_active'],
  }),
  listRuns: operation({
    ...read,
    content: 'mentions',
    path: `${path}/runs`,
    summary: 'List the runs of a source, newest first',
    ...listing(RunPage),
  }),
  listRunFiles: operation({
    ...read,
    content: 'reads',
    path: `${path}/runs/:job_id/files`,
    summary: 'List the files of an import with their state',
    description: 'Files of the last 30 days, in the order received. Other runs have none.',
    params: T.Object({ ...sourceParams, job_id: PathId('The run.', 'job') }),
    ...listing(RunFilePage, {
      unread: T.Optional(T.Boolean({ default: false, description: 'Only files that were not read completely.' })),
    }),
  }),
  listDeliveries: operation({
    ...read,
    path: `${path}/deliveries`,
    summary: 'List the deliveries to a source’s webhook with their state, newest first',
    description:
      'Deliveries of the last 7 days. The list contains ids, times and codes but no content, so it needs no key.',
    ...listing(DeliveryPage),
  }),
}
