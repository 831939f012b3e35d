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

export const SUGGESTION_STATES = ['open', 'accepted', 'dismissed'] as const
export type SuggestionState = (typeof SUGGESTION_STATES)[number]

const state = Choice(SUGGESTION_STATES, {
  description: '`open` until a user decides; `accepted`: merged; `dismissed`: kept separate.',
})

/** A pair of entities that are probably the same. */
export const MergeSuggestion = T.Object({
  suggestion_id: ReplyId('suggestion', 'The id with which it is accepted or dismissed.'),
  state,
  entities: T.Array(EntitySummary, {
    description:
      'The two entities. The first one remains if the suggestion is accepted. After that, the entities they became.',
  }),
  likelihood: T.Number({ minimum: 0, maximum: 1, description: 'Probability that they are the same.' }),
  reason: T.String({ description: 'The reason in a few words.' }),
  evidence: Anything('The properties in which the two agree or differ.'),
  suggested_at: Moment('When.'),
  decided_at: Nullable(Moment('When a user decided it.')),
  decided_by: Nullable(T.String({ description: 'The account that decided it.' })),
  merge_id: Nullable(T.String({ description: 'The id of the resulting merge, with which it can be undone.' })),
})
export type MergeSuggestion = Static<typeof MergeSuggestion>

export const MergeSuggestionPage = Page('merge_suggestions', MergeSuggestion)
export type MergeSuggestionPage = Static<typeof MergeSuggestionPage>

/** State after a decision on a merge suggestion. */
export const SuggestionDecision = T.Object({
  ...EntityDecision.properties,
  canonical_id: T.String({ description: 'The current entity; if the two stay separate, the first.' }),
  suggestion_id: ReplyId('suggestion', 'The suggestion.'),
  state,
})
export type SuggestionDecision = Static<typeof SuggestionDecision>

const tag = 'Knowledge'
const root = '/api/v1/storage/sandboxes/:sandbox_id/merge-suggestions'
const read = { ...READ, tag, access: 'viewer', content: 'reads', rated: 'reads' } as const
const change = { ...CHANGE, tag, access: 'editor', content: 'reads' } as const
const params = T.Object({ ...sandboxParams, suggestion_id: PathId('The suggestion.', 'suggestion') })

export const mergeSuggestionOperations = {
  listMergeSuggestions: operation({
    ...read,
    path: root,
    summary: 'List pairs of entities that may be the same, newest first',
    description:
      'Suggestions of the same comparison are sorted by likelihood. A suggestion without remaining support ' +
      'is removed. Within a project, only pairs whose records are all in it.',
    params: T.Object(sandboxParams),
    ...listing(MergeSuggestionPage, {
      state: T.Optional(Choice(SUGGESTION_STATES, { default: 'open', description: 'Only suggestions in this state.' })),
      min_likelihood: T.Optional(T.Number({ minimum: 0, maximum: 1, description: 'Minimum likelihood of a pair.' })),
      project_id: T.Optional(GivenId('Only suggestions in this project.')),
    }),
    faults: ['invalid_cursor', 'project_archived'],
  }),
  acceptMergeSuggestion: operation({
    ...change,
    path: `${root}/:suggestion_id/accept`,
    summary: 'Accept a suggestion: merge its two entities',
    description:
      'Equivalent to merging them: entity resolution never changes a user’s decision. A dismissed suggestion can be ' +
      'accepted too. A grant that is limited to a project does not allow it.',
    audit: { event: 'suggestion.accepted' },
    params,
    reply: { json: SuggestionDecision },
    faults: ['types_differ', 'sandbox_not_active', 'project_archived'],
  }),
  dismissMergeSuggestion: operation({
    ...change,
    path: `${root}/:suggestion_id/dismiss`,
    summary: 'Dismiss a suggestion: keep its two entities separate',
    description: 'They stay separate until a user merges them. A grant that is limited to a project does not allow it.',
    audit: { event: 'suggestion.dismissed' },
    params,
    reply: { json: SuggestionDecision },
    faults: ['suggestion_accepted', 'sandbox_not_active', 'project_archived'],
  }),
}
