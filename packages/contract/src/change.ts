import { operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Choice, GivenId, Maybe, Moment, type Static, Type as T } from './schema.ts'

const CHANGES_MAX = 1_000
const CHANGES = 100
const CURSOR_CHARS_MAX = 500
const TYPES_CHARS_MAX = 500

/** Kinds of changes. */
export const CHANGE_KINDS = ['added', 'changed', 'removed', 'merged'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** One record or entity that a commit added, changed, removed or merged. */
export const Change = T.Object({
  change: Choice(CHANGE_KINDS, { description: '`merged`: the entity is one with `into` from then on.' }),
  kind: Choice(['record', 'entity']),
  id: T.String({ description: 'Of the record or the entity.' }),
  into: T.Optional(T.String({ description: 'The entity that a merged one became.' })),
  type: T.Optional(T.String({ description: 'Its kind, where it is known still.' })),
  title: T.Optional(T.String({ description: 'The record’s title or the entity’s name, as it is now.' })),
  url: T.Optional(T.String({ description: 'Where the record is at its source.' })),
  occurred_at: Maybe(Moment('When what the record tells happened.')),
  source_id: Maybe(T.String({ description: 'The source that the record came through.' })),
  changed_at: Moment('When the commit was made.'),
})
export type Change = Static<typeof Change>

/** The changes after a cursor, in commit order. */
export const ChangePage = T.Object({
  changes: T.Array(Change),
  count: T.Integer({ minimum: 0, description: 'Changes in this reply.' }),
  next_cursor: T.String({ description: 'Give it as `since` to read on, now or whenever more may have changed.' }),
  has_more: T.Boolean({ description: 'Whether there is more already.' }),
})
export type ChangePage = Static<typeof ChangePage>

/** Operation that lists changes. */
export const changeOperations = {
  listChanges: operation({
    ...READ,
    rated: 'reads',
    path: '/api/v1/storage/sandboxes/:sandbox_id/changes',
    tag: 'Knowledge',
    summary: 'Tell what was added, changed, removed and merged, in the order of commits',
    description:
      'A reader that goes on with `next_cursor` is told every change once, whatever is written meanwhile. Changes ' +
      'are kept for 30 days; a cursor from before is 410, and who has one begins anew. Whoever is limited to a ' +
      'project is told of the records in it; a record that leaves it is told as removed.',
    access: 'viewer',
    params: T.Object(sandboxParams),
    content: 'reads',
    query: T.Object({
      since: T.Optional(
        T.String({
          minLength: 1,
          maxLength: CURSOR_CHARS_MAX,
          description:
            'The `next_cursor` of a reply, unchanged, with the same `types` and `project_id`; or a moment or a day ' +
            '(RFC 3339) to begin with. All that is kept when omitted.',
        }),
      ),
      types: T.Optional(
        T.String({
          minLength: 1,
          maxLength: TYPES_CHARS_MAX,
          description: 'Only records and entities of these kinds, with commas between them.',
        }),
      ),
      limit: T.Optional(
        T.Integer({ minimum: 1, maximum: CHANGES_MAX, default: CHANGES, description: 'Changes in one reply.' }),
      ),
      project_id: T.Optional(GivenId('Only what is in this project.')),
    }),
    reply: { json: ChangePage },
    faults: ['invalid_cursor', 'cursor_expired', 'project_archived'],
  }),
}
