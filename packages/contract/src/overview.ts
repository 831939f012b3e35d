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
    description: 'Kinds of records, those of most records first.',
  }),
  sources: T.Array(
    T.Object({
      source_id: Nullable(T.String({ description: 'Null for what came through no source that is shown.' })),
      name: T.Optional(T.String()),
      provider: T.Optional(T.String()),
      status: T.Optional(T.String()),
      record_count: T.Integer(),
      newest_at: Nullable(Moment('When the latest of its records happened.')),
      last_sync_at: Maybe(Moment('When something last came through it.')),
    }),
    { description: 'Sources in scope, those of most records first.' },
  ),
  newest: T.Optional(RecordSummary),
  oldest: T.Optional(RecordSummary),
  entities: T.Array(
    T.Object({
      type: T.String(),
      entities: T.Array(T.Object({ canonical_id: T.String(), name: T.String(), record_count: T.Integer() }), {
        description: 'Those that most records hold, the first of them first.',
      }),
    }),
    { description: 'The most connected entities by their kind.' },
  ),
  topics: T.Array(T.Object({ name: T.String(), record_count: T.Integer() }), {
    description: 'What people talk of beside these: names that recur, those of most records first.',
  }),
})
export type Overview = Static<typeof Overview>

/** Operation that shows the overview. */
export const overviewOperations = {
  getOverview: operation({
    ...READ,
    rated: 'reads',
    path: '/api/v1/storage/sandboxes/:sandbox_id/overview',
    tag: 'Knowledge',
    summary: 'Tell what is known: of which kinds, from where, of whom and what',
    access: 'viewer',
    params: T.Object(sandboxParams),
    content: 'reads',
    query: T.Object({ project_id: T.Optional(GivenId('Only what is in this project.')) }),
    reply: { json: Overview },
    faults: ['project_archived'],
  }),
}
