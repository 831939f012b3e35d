import { InterpretCitation, pinnedTuples, questionFields, TOLD_TOKENS } from './question.ts'
import { Maybe, Moment, ReplyId, type Static, Type as T } from './schema.ts'

const TOKENS = 2_000

/** A question, or pinned items, whose best passages are wanted. */
export const ContextAsked = T.Object({
  ...questionFields,
  query: T.Optional(questionFields.query),
  items: T.Optional(pinnedTuples),
  max_tokens: Maybe(
    T.Integer({
      ...TOLD_TOKENS,
      default: TOKENS,
      description: 'What the passages may take with their titles, in UTF-8 bytes divided by 4.',
    }),
  ),
})
export type ContextAsked = Static<typeof ContextAsked>

/** Sentences of a record that stand beside each other. */
export const ContextPassage = T.Object({
  text: T.String({ description: 'Whole sentences without markup; fields of a record as `name: value`.' }),
  record_id: ReplyId('record', 'The record that says so.'),
  locator: T.Optional(T.String({ description: 'Where in its document it begins: `p. 12`, `#limits/retries`.' })),
  title: T.Optional(T.String()),
  author: T.Optional(T.String({ description: 'Who wrote it.' })),
  url: T.Optional(T.String({ description: 'Where the record is at its source.' })),
  occurred_at: Maybe(Moment('When it happened.')),
  type: T.String({ description: 'The record’s kind.' }),
  score: T.Number({ description: 'Above 0, at most 1; comparable within this reply.' }),
})
export type ContextPassage = Static<typeof ContextPassage>

/** The best passages, packed to a budget. */
export const GatheredContext = T.Object({
  passages: T.Array(ContextPassage, { description: 'Best first, no sentence twice.' }),
  tokens: T.Integer({ description: 'What they take with their titles, in UTF-8 bytes divided by 4, rounded up.' }),
  citations: T.Array(InterpretCitation, {
    description: 'The records that they come from, one for each, the passages taken for statements.',
  }),
  warnings: T.Array(T.String(), { description: 'What the caller should know of how they were found, as sentences.' }),
})
export type GatheredContext = Static<typeof GatheredContext>
