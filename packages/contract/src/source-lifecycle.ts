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
      description: 'How much longer the old secret works.',
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
const NO_SUCH_THING = '0: there is no such thing here.'

/** Response to a purge, with counts by kind. It has exactly these fields, because clients validate strictly. */
export const PurgedSource = T.Object({
  success: T.Boolean({ description: 'True: what failed has an error instead.' }),
  delete_source_applied: T.Boolean({ description: 'Whether the registration is removed too.' }),
  events_deleted: Count('Records.'),
  extractions_deleted: Count('Relations that only these records stated.'),
  canonical_index_rows_deleted: Count('Entities that only these records supported.'),
  entity_vectors_deleted: Count(NO_SUCH_THING),
  triggers_deleted: Count(NO_SUCH_THING),
  webhooks_deleted: Count('Secrets of its webhook, with `delete_source`.'),
  event_seen_deleted: Count(NO_SUCH_THING),
  project_links_deleted: Count('Projects that it was linked to, with `delete_source`.'),
  strategy_artifacts_deleted: Count(NO_SUCH_THING),
  pull_artifacts_deleted: Count(NO_SUCH_THING),
  user_strategies_deleted: Count(NO_SUCH_THING),
  vault_objects_deleted: Count('Files, or objects of the object store.'),
})
export type PurgedSource = Static<typeof PurgedSource>

/** Request body to pull a source. */
export const PullSource = T.Object({
  since: Maybe(Moment('Read again what changed from then on; later than what was read last, it changes nothing.')),
})
export type PullSource = Static<typeof PullSource>

/** Response to a pull request. */
export const PulledSource = T.Object({
  job_id: ReplyId('job', 'The job that does it: the one that waits or is under way, when there is one.'),
  job_type: Choice(['data_source_pull']),
  status: Choice(['queued']),
})
export type PulledSource = Static<typeof PulledSource>

/** One run: records delivered by a source or pulled from it. */
export const SourceRun = T.Object({
  job_id: ReplyId('job', 'The job that did it.'),
  job_type: T.String({ description: 'What kind of work it was.' }),
  status: Choice(JOB_STATES),
  counts: T.Object({
    received: T.Integer(),
    written: T.Integer(),
    removed: T.Integer(),
    failed: T.Integer(),
  }),
  progress: T.Object(
    {
      done: T.Integer({ description: 'Records that are applied, or failed.' }),
      total: Nullable(T.Integer({ description: 'Records in all; null while more may arrive.' })),
      records_per_second: Nullable(T.Number({ description: 'Since work on it began; null before.' })),
    },
    { description: 'How far it is.' },
  ),
  error: Nullable(T.String({ description: 'Why it failed or waits.' })),
  created_at: Moment('When it was accepted.'),
  started_at: Nullable(Moment('When work on it began.')),
  completed_at: Nullable(Moment('When it ended.')),
  files: T.Optional(
    T.Array(ImportedFile, {
      description: 'Of an import of the last 30 days, at most 20 of its files, those that were not read first.',
    }),
  ),
})
export type SourceRun = Static<typeof SourceRun>

/** One page of runs. */
export const RunPage = Page('runs', SourceRun)
export type RunPage = Static<typeof RunPage>

/** One page of the files of a run. */
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
    description: 'It takes no deliveries and records (409) and does not poll. A paused source stays so.',
    audit: { event: 'source.paused' },
    faults: ['sandbox_not_active', 'source_not_active'],
  }),
  resumeSource: operation({
    ...change,
    path: `${path}/resume`,
    summary: 'Make a paused, failing or archived source active again',
    description: 'An active source stays so.',
    audit: { event: 'source.resumed' },
    faults: ['sandbox_not_active', 'source_not_active', 'quota_exceeded'],
  }),
  disconnectSource: operation({
    ...change,
    path: `${path}/disconnect`,
    summary: 'Disconnect a source for good',
    description: 'It delivers nothing any more; its knowledge stays. A disconnected source stays so.',
    audit: { event: 'source.disconnected' },
    faults: ['sandbox_not_active'],
  }),
  rotateWebhookSecret: operation({
    ...change,
    path: `${path}/rotate-webhook-secret`,
    summary: 'Give a realtime source a new webhook secret',
    description:
      'The new secret is in this reply and nowhere else. The old one works for `grace_seconds` more; one that was ' +
      'in its grace already ends at once.',
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
    summary: 'Read what is new at the provider now',
    description:
      'It is done in the background; the job says how far it is. A source is read once at a time: a pull that waits ' +
      'or is under way is not doubled. An archived source is revived. One whose credential is under the ' +
      'caller’s key is read with that key alone.',
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
    summary: 'Erase everything that a source fed',
    description:
      'Removes its records with the names, identifiers, entities and relations that only they supported. It answers ' +
      'when that is done. If the connection ends before, it goes on; calling again waits for it.',
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
    summary: 'Remove a source’s registration; what it fed stays',
    description: 'Records that it delivered before are still taken in. To erase them too, purge the source first.',
    audit: { event: 'source.deleted' },
    versioned: true,
    faults: ['sandbox_not_active'],
  }),
  listRuns: operation({
    ...read,
    content: 'mentions',
    path: `${path}/runs`,
    summary: 'List what a source delivered, newest first',
    ...listing(RunPage),
  }),
  listRunFiles: operation({
    ...read,
    content: 'reads',
    path: `${path}/runs/:job_id/files`,
    summary: 'List the files of an import and what became of each',
    description: 'Those of the last 30 days, in the order in which they came. There are none of other runs.',
    params: T.Object({ ...sourceParams, job_id: PathId('The run.', 'job') }),
    ...listing(RunFilePage, {
      unread: T.Optional(
        T.Boolean({ default: false, description: 'Only those that were not read, or not to their end.' }),
      ),
    }),
  }),
  listDeliveries: operation({
    ...read,
    path: `${path}/deliveries`,
    summary: 'List what was delivered to a source’s webhook and what became of it, newest first',
    description: 'Those of the last 7 days. It shows ids, times and codes and never content, so it needs no key.',
    ...listing(DeliveryPage),
  }),
}
