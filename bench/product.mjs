// The built product as the benchmarks use it. All paths into `packages/` that benchmarks need are here. Engines are
// loaded on demand, because that takes seconds.
import { fileURLToPath } from 'node:url'

export { MODEL_FOLDER, openEncoder, readModelCard } from '@cairnstore/encoder'
export {
  ANSWER_FEATURES,
  answerQuestion,
  comparisonInput,
  expand,
  FIXED_WORDS,
  readAnswerFeatures,
  SEMANTIC_FEATURES,
  scoredStatements,
  segment,
  shortlist,
  unfaithfulWords,
} from '@cairnstore/engine/answer'
export { findMentions } from '@cairnstore/engine/mentions'
export { createRecordGraph, FUSION, fuseNear, GraphFull, SIGNALS } from '@cairnstore/engine/rank'
export { declarationsOf, enrichContent, mentionDeclarations } from '@cairnstore/engine/resolve'
export { buildViews, computePlan, planInConversation } from '@cairnstore/engine/tables'
export {
  analyseRecord,
  blocksOf,
  ENCODER_SIZES,
  foldText,
  identifiersOf,
  mentionsOf,
  normaliseName,
  passagesOf,
  plainKeyHash,
  splitSentences,
  terms,
  wordsOfFolded,
} from '@cairnstore/engine/text'
export { analyseQuestion, questionText } from '@cairnstore/engine/understand'
export { createTokenizer } from '../packages/encoder/dist/tokenizer.js'
export { readAnalysis } from '../packages/engine/dist/rank/analysis-reader.js'
export { scanRuns } from '../packages/engine/dist/rank/hamming.js'
export { allocateRun, createRuns, readRun } from '../packages/engine/dist/rank/number-tables.js'
export { readBriefInput } from '../packages/server/dist/answer/brief-input.js'
export { withUserFacts } from '../packages/server/dist/answer/pin.js'
export { readIntent } from '../packages/server/dist/answer/read-intent.js'
export { vectorTexts } from '../packages/server/dist/answer/vectors/make-vectors.js'
export { evidenceToJudge, unsupported } from '../packages/server/dist/answer/written/claim-check.js'
export { readDocument } from '../packages/server/dist/documents/read-document.js'
export { buildBatch } from '../packages/server/dist/ingest/batch.js'
export { toRecordContent } from '../packages/server/dist/ingest/to-record-content.js'
export { rankingOf } from '../packages/server/dist/store/ranking/rank-threads.js'
export { namesOf, parseRecord, resolveMentions } from '../packages/server/dist/store/read-records.js'
export { readSnapshotFile, writeSnapshotFile } from '../packages/server/dist/store/snapshot-file.js'
export { newApiKey } from '../packages/server/dist/tenancy/accounts/key-format.js'

/** A file of the encoder, from which its runtime is resolved. */
export const ENCODER_ENTRY = fileURLToPath(new URL('../packages/encoder/dist/index.js', import.meta.url))

/** Entry point of the server. */
export const MAIN = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url))

/** Loads only the SQL engines. */
export async function loadDatabase() {
  const [{ openEngine, openSql }, { appendAuditCall }, { AccessScope, activeGrants }] = await Promise.all([
    import('../packages/server/dist/db/open.js'),
    import('../packages/server/dist/db/audit.js'),
    import('../packages/server/dist/tenancy/access/access-scope.js'),
  ])
  return { openEngine, openSql, appendAuditCall, AccessScope, activeGrants }
}

/** Loads the whole server into this process. */
export async function loadProgram() {
  const [{ openCairn }, { openLog }, { toConfig }, { readSecrets }] = await Promise.all([
    import('../packages/server/dist/app.js'),
    import('../packages/server/dist/base/log.js'),
    import('../packages/server/dist/config/config.js'),
    import('../packages/server/dist/config/secrets.js'),
  ])
  return { openCairn, openLog, toConfig, readSecrets }
}
