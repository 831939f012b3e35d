import { RecordSummary } from './entity.ts'
import { operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { GivenId, Maybe, Moment, Nullable, ReplyId, type Static, Type as T } from './schema.ts'

/** Overview of the knowledge in scope. */
export const Overview = T.Object({
  sandbox_id: ReplyId('sandbox', 'Echo.'),
  project_id: Nullable(T.String({ description: 'The project that it is limited to, or null for the whole sandbox.' })),
  record_count: T.Integer(),
  types: T.Array(T.Object({ type: T.String(), record_count: T.Integer() }), {
    description: 'Kinds of records, most frequent first.',
  }),
  sources: T.Array(
    T.Object({
      source_id: Nullable(T.String({ description: 'Null for records without a visible source.' })),
      name: T.Optional(T.String()),
      provider: T.Optional(T.String()),
      status: T.Optional(T.String()),
      record_count: T.Integer(),
      newest_at: Nullable(Moment('The time of its latest record.')),
      last_sync_at: Maybe(Moment('When it last delivered something.')),
    }),
    { description: 'Sources in the access scope, by number of records.' },
  ),
  newest: T.Optional(RecordSummary),
  oldest: T.Optional(RecordSummary),
  entities: T.Array(
    T.Object({
      type: T.String(),
      entities: T.Array(T.Object({ canonical_id: T.String(), name: T.String(), record_count: T.Integer() }), {
        description: 'The most frequent ones, most frequent first.',
      }),
    }),
    { description: 'The most connected entities, by kind.' },
  ),
  topics: T.Array(T.Object({ name: T.String(), record_count: T.Integer() }), {
    description: 'Other topics: recurring names, by number of records.',
  }),
})
export type Overview = Static<typeof Overview>

export const overviewOperations = {
  getOverview: operation({
    ...READ,
    rated: 'reads',
    path: '/api/v1/storage/sandboxes/:sandbox_id/overview',
    tag: 'Knowledge',
    summary: 'Show an overview: kinds of records, sources, main entities and topics',
    access: 'viewer',
    params: T.Object(sandboxParams),
    content: 'reads',
    query: T.Object({ project_id: T.Optional(GivenId('Only records of this project.')) }),
    reply: { json: Overview },
    faults: ['project_archived'],
  }),
}
