import { EntityDecision, EntitySummary } from './entity.ts'
import { CHANGE, operation, READ } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import {
  Anything,
  Choice,
  GivenId,
  listing,
  Moment,
  Nullable,
  Page,
  PathId,
  ReplyId,
  type Static,
  Type as T,
} from './schema.ts'

/** States of a merge suggestion. */
export const SUGGESTION_STATES = ['open', 'accepted', 'dismissed'] as const
export type SuggestionState = (typeof SUGGESTION_STATES)[number]

const state = Choice(SUGGESTION_STATES, {
  description: '`open` until a person decides; `accepted`: they are one; `dismissed`: they stay two whatever comes.',
})

/** A pair of entities that are probably the same. */
export const MergeSuggestion = T.Object({
  suggestion_id: ReplyId('suggestion', 'The id by which it is accepted or dismissed.'),
  state,
  entities: T.Array(EntitySummary, {
    description: 'The two, the one that remains when it is accepted first; of one that was accepted, what they became.',
  }),
  likelihood: T.Number({ minimum: 0, maximum: 1, description: 'How likely they are one.' }),
  reason: T.String({ description: 'Why, in a few words.' }),
  evidence: Anything('In what the two agree and differ.'),
  suggested_at: Moment('When.'),
  decided_at: Nullable(Moment('When a person decided it.')),
  decided_by: Nullable(T.String({ description: 'The account that decided it.' })),
  merge_id: Nullable(T.String({ description: 'The merge that accepting it made, by which it can be undone.' })),
})
export type MergeSuggestion = Static<typeof MergeSuggestion>

/** One page of merge suggestions. */
export const MergeSuggestionPage = Page('merge_suggestions', MergeSuggestion)
export type MergeSuggestionPage = Static<typeof MergeSuggestionPage>

/** State after a decision on a merge suggestion. */
export const SuggestionDecision = T.Object({
  ...EntityDecision.properties,
  canonical_id: T.String({ description: 'What the two are now; of two that stay two, the first.' }),
  suggestion_id: ReplyId('suggestion', 'The suggestion.'),
  state,
})
export type SuggestionDecision = Static<typeof SuggestionDecision>

const tag = 'Knowledge'
const root = '/api/v1/storage/sandboxes/:sandbox_id/merge-suggestions'
const read = { ...READ, tag, access: 'viewer', content: 'reads', rated: 'reads' } as const
const change = { ...CHANGE, tag, access: 'editor', content: 'reads' } as const
const params = T.Object({ ...sandboxParams, suggestion_id: PathId('The suggestion.', 'suggestion') })

/** Operations to list and decide merge suggestions. */
export const mergeSuggestionOperations = {
  listMergeSuggestions: operation({
    ...read,
    path: root,
    summary: 'List pairs of entities that may be one, the newest first',
    description:
      'Those that a comparison found together come in the order of their likelihood. One that nothing supports any ' +
      'more is gone. Within a project only pairs of which every record is in it.',
    params: T.Object(sandboxParams),
    ...listing(MergeSuggestionPage, {
      state: T.Optional(
        Choice(SUGGESTION_STATES, { default: 'open', description: 'What waits for a decision, or what was decided.' }),
      ),
      min_likelihood: T.Optional(T.Number({ minimum: 0, maximum: 1, description: 'Only pairs at least this likely.' })),
      project_id: T.Optional(GivenId('Only what is in this project.')),
    }),
    faults: ['invalid_cursor', 'project_archived'],
  }),
  acceptMergeSuggestion: operation({
    ...change,
    path: `${root}/:suggestion_id/accept`,
    summary: 'Make the two entities of a suggestion one',
    description:
      'The same as merging them: resolution never changes what a person decided. One that was dismissed can be ' +
      'accepted too. A grant on one project does not allow it.',
    audit: { event: 'suggestion.accepted' },
    params,
    reply: { json: SuggestionDecision },
    faults: ['types_differ', 'sandbox_not_active', 'project_archived'],
  }),
  dismissMergeSuggestion: operation({
    ...change,
    path: `${root}/:suggestion_id/dismiss`,
    summary: 'Say that the two entities of a suggestion are two',
    description:
      'They stay two whatever comes, until a person makes them one. A grant on one project does not allow it.',
    audit: { event: 'suggestion.dismissed' },
    params,
    reply: { json: SuggestionDecision },
    faults: ['suggestion_accepted', 'sandbox_not_active', 'project_archived'],
  }),
}
