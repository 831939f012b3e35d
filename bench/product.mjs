// The product as the benchmarks use it, built: every path into `packages/` that a benchmark knows stands here. What
// opens engines is loaded when it is called, as that takes seconds.
import { fileURLToPath } from 'node:url'

export {
  ANSWER_FEATURES,
  answerQuestion,
  expand,
  FIXED_WORDS,
  MEANT_FEATURES,
  readAnswerFeatures,
  readStatements,
  segment,
  shortlist,
  toCompare,
  unfaithfulWords as strangeWords,
} from '@cairnstore/engine/answer'
export { findMentions } from '@cairnstore/engine/mentions'
export { createRecordGraph, FUSION, fuseNear, GraphFull, SIGNALS } from '@cairnstore/engine/rank'
export { declaredThings, mentionedThings, readText } from '@cairnstore/engine/resolve'
export { askInTalk, computePlan, observeViews } from '@cairnstore/engine/tables'
export {
  blocksOf,
  foldText,
  identifiersOf,
  mentionsOf,
  normaliseName,
  passagesOf,
  plainKeyHash,
  READ_AT_ONCE,
  splitSentences,
  terms,
  wordsOfFolded,
} from '@cairnstore/engine/text'
export { analyseQuestion, questionText } from '@cairnstore/engine/understand'
export { openReader } from '@cairnstore/reader'
export { readAnalysis } from '../packages/engine/dist/rank/analysis-reader.js'
export { readAsked } from '../packages/server/dist/answer/asked-question.js'
export { readBriefInput } from '../packages/server/dist/answer/brief-input.js'
export { withOwnRecords } from '../packages/server/dist/answer/pin.js'
export { vectorTexts } from '../packages/server/dist/answer/vectors/make-vectors.js'
export { readDocument } from '../packages/server/dist/documents/read-document.js'
export { buildBatch } from '../packages/server/dist/ingest/batch.js'
export { toRecordContent } from '../packages/server/dist/ingest/to-record-content.js'
export { readGraphFile, writeGraphFile } from '../packages/server/dist/store/graph-file.js'
export { rankingOf } from '../packages/server/dist/store/ranking/rank-threads.js'
export { namesOf, parseRecord, resolveThings } from '../packages/server/dist/store/read-records.js'
export { newApiKey } from '../packages/server/dist/tenancy/accounts/key-format.js'

/** The file that a process of the service begins with. */
export const MAIN = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url))

/** What opens the SQL engines alone. */
export async function loadDatabase() {
  const [{ openEngine, openSql }, { auditing }, { liveGrants, reached }] = await Promise.all([
    import('../packages/server/dist/db/open.js'),
    import('../packages/server/dist/db/audit.js'),
    import('../packages/server/dist/tenancy/reach/reach.js'),
  ])
  return { openEngine, openSql, auditing, liveGrants, reached }
}

/** What opens the whole program in this process. */
export async function loadProgram() {
  const [{ openCairn }, { openLog }, { toConfig }, { readSecrets }] = await Promise.all([
    import('../packages/server/dist/app.js'),
    import('../packages/server/dist/base/log.js'),
    import('../packages/server/dist/config/config.js'),
    import('../packages/server/dist/config/secrets.js'),
  ])
  return { openCairn, openLog, toConfig, readSecrets }
}
