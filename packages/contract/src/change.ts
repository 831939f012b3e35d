import { operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Choice, GivenId, Maybe, Moment, type Static, Type as T } from './schema.ts'

const CHANGES_MAX = 1_000
const CHANGES = 100
const CURSOR_CHARS_MAX = 500
const TYPES_CHARS_MAX = 500

export const CHANGE_KINDS = ['added', 'changed', 'removed', 'merged'] as const

/** One record or entity that a commit added, changed, removed or merged. */
export const Change = T.Object({
  change: Choice(CHANGE_KINDS, { description: '`merged`: the entity became part of `into`.' }),
  kind: Choice(['record', 'entity']),
  id: T.String({ description: 'Id of the record or entity.' }),
  into: T.Optional(T.String({ description: 'The entity that a merged one became.' })),
  type: T.Optional(T.String({ description: 'Its kind, if still known.' })),
  title: T.Optional(T.String({ description: 'The current title of the record or name of the entity.' })),
  url: T.Optional(T.String({ description: 'Where the record is at its source.' })),
  occurred_at: Maybe(Moment('When the content of the record happened.')),
  source_id: Maybe(T.String({ description: 'The source of the record.' })),
  changed_at: Moment('The time of the commit.'),
})
export type Change = Static<typeof Change>

/** The changes after a cursor, in commit order. */
export const ChangePage = T.Object({
  changes: T.Array(Change),
  count: T.Integer({ minimum: 0, description: 'Changes in this reply.' }),
  next_cursor: T.String({ description: 'Send it as `since` to continue, now or later.' }),
  has_more: T.Boolean({ description: 'True if there are more changes already.' }),
})
export type ChangePage = Static<typeof ChangePage>

export const changeOperations = {
  listChanges: operation({
    ...READ,
    rated: 'reads',
    path: '/api/v1/storage/sandboxes/:sandbox_id/changes',
    tag: 'Knowledge',
    summary: 'List what was added, changed, removed and merged, in commit order',
    description:
      'A client that continues with `next_cursor` gets every change once, even during writes. Changes ' +
      'are kept for 30 days. An older cursor gets 410; then start again without a cursor. A scope limited to a ' +
      'project gets the changes of its records; a record that leaves the project counts as removed.',
    access: 'viewer',
    params: T.Object(sandboxParams),
    content: 'reads',
    query: T.Object({
      since: T.Optional(
        T.String({
          minLength: 1,
          maxLength: CURSOR_CHARS_MAX,
          description:
            'The `next_cursor` of a reply, unchanged, with the same `types` and `project_id`; or a time or a day ' +
            '(RFC 3339) to start from. Default: all stored changes.',
        }),
      ),
      types: T.Optional(
        T.String({
          minLength: 1,
          maxLength: TYPES_CHARS_MAX,
          description: 'Only records and entities of these kinds, separated by commas.',
        }),
      ),
      limit: T.Optional(
        T.Integer({ minimum: 1, maximum: CHANGES_MAX, default: CHANGES, description: 'Maximum changes in one reply.' }),
      ),
      project_id: T.Optional(GivenId('Only changes in this project.')),
    }),
    reply: { json: ChangePage },
    faults: ['invalid_cursor', 'cursor_expired', 'project_archived'],
  }),
}
