/** Tables: typed views of records, the query parser, and the computation of query plans. */

export { computePlan, recordsBehind } from './compute-plan.ts'
export { buildViews, titleOf } from './observe-views.ts'
export { columnName, groupName, labelOf, nounOf, phraseAnswer, totalOf } from './phrase-answer.ts'
export {
  type Cell,
  type Column,
  type ColumnKind,
  type Lookup,
  type Plan,
  ROWS_SHOWN_MAX,
  type Rows,
  type View,
  type ViewRow,
} from './plan.ts'
export { planInConversation } from './query-parser/plan-in-conversation.ts'
export { rowNounsOf, typesNamed } from './types-named.ts'
