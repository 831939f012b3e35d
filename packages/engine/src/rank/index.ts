/** Ranking: the graph of records in memory, what it holds, and what of it answers a question. */

export { FUSION, type FusionWeights, fuseNear } from './fuse-near.ts'
export { addId, createIdTable, type IdTable, idAt, placeOfId, placesTaken, removeId } from './id-table.ts'
export { withRoom } from './key-index.ts'
export type { ListedRecord, RecordFilter } from './list-records.ts'
export type { ScopeOverview } from './overview.ts'
export type { RankedRecord } from './ranked-record.ts'
export { createRecordGraph, type RecordGraph } from './record-graph.ts'
export type { Scope } from './scope-view.ts'
export { SIGNALS } from './signals/signal.ts'
export type { Ties } from './store.ts'
export { codeBytes, codeOf, codesOf, cosine, quantised } from './vector-code.ts'
