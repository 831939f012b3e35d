// The product as the benchmarks use it, built: every path into `packages/` that a benchmark knows stands here. What
// opens engines is loaded when it is called, as that takes seconds.
import { fileURLToPath } from 'node:url'

export { newApiKey } from '../packages/server/dist/features/accounts/key-format.js'
export { toRecordContent } from '../packages/server/dist/features/ingest/to-record-content.js'
export { analyseQuestion } from '../packages/server/dist/features/knowledge/analyser/analyse-question.js'
export { foldText } from '../packages/server/dist/features/knowledge/analyser/fold.js'
export { identifiersOf } from '../packages/server/dist/features/knowledge/analyser/identifiers.js'
export { plainKeyHash } from '../packages/server/dist/features/knowledge/analyser/key-hash.js'
export { mentionsOf } from '../packages/server/dist/features/knowledge/analyser/mentions.js'
export { normaliseName } from '../packages/server/dist/features/knowledge/analyser/names.js'
export { wordsOfFolded } from '../packages/server/dist/features/knowledge/analyser/words.js'
export { buildBatch } from '../packages/server/dist/features/knowledge/batch.js'
export { createRecordGraph } from '../packages/server/dist/features/knowledge/graph/record-graph.js'
export { namesOf, parseRecord, resolveThings } from '../packages/server/dist/features/knowledge/read-records.js'
export { declaredThings } from '../packages/server/dist/features/knowledge/things.js'
export { readAsked } from '../packages/server/dist/features/query/asked-question.js'
export { FIXED_WORDS } from '../packages/server/dist/features/query/brief/faithful.js'
export { splitSentences } from '../packages/server/dist/features/query/brief/sentences.js'
export { askInTalk } from '../packages/server/dist/features/query/rows/asking/ask-in-talk.js'
export { computePlan } from '../packages/server/dist/features/query/rows/compute-plan.js'
export { observeViews } from '../packages/server/dist/features/query/rows/observe-views.js'

/** The file that a process of the service begins with. */
export const MAIN = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url))

/** What opens the SQL engines alone. */
export async function loadDatabase() {
  const [{ openEngine, openSql }, { auditing }, { liveGrants, reached }] = await Promise.all([
    import('../packages/server/dist/db/open.js'),
    import('../packages/server/dist/db/audit.js'),
    import('../packages/server/dist/features/sharing/reach.js'),
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
