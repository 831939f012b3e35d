/** Ranking: the in-memory graph of records, lookups in it, and the ranking of records for a question. */

export { declaredKeys } from './analysis-reader.ts'
export { FUSION, type FusionWeights, fuseNear } from './fuse.ts'
export { GRAPH_FORMAT } from './graph-snapshot.ts'
export {
  addId,
  createIdTable,
  findOrdinal,
  type IdTable,
  idAt,
  removeId,
  usedOrdinals,
} from './id-table.ts'
export type { ListedRecord, RecordFilter } from './lookups.ts'
export { withCapacity } from './number-tables.ts'
export { nameOccurs } from './occurrences.ts'
export type { ScopeOverview } from './overview.ts'
export type { RankedPassage, RankedRecord } from './rank-documents.ts'
export { createRecordGraph, type RecordGraph } from './record-graph.ts'
export { GraphFull } from './records.ts'
export type { CountsOf, Scope, ScopeCounts } from './scope-view.ts'
export { SIGNALS } from './signals/signal.ts'
export { type GraphSnapshot, type SnapshotTable, TABLE_TYPES } from './snapshot.ts'
export type { TieBreakers } from './store.ts'
export { codeBytes, codeOf, codesOf, cosine, type NearRecord, quantized } from './vectors.ts'
