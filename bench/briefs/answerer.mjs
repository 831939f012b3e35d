// Answers questions in this process without HTTP: parses, ranks and composes as `search` and `interpret` do.
import { answerQuestion, comparisonInput, questionText, readBriefInput, withUserFacts } from '../product.mjs'
import { openSandbox } from '../sandbox.mjs'

/** Number of records for `search` and for `interpret`, and the token limit of both. */
const SEARCHED = 10
export const PINNED = 5
const TOKENS_MAX = 600
/** Reference date of a question without a date. */
const LATEST_DAY = '2026-07-31'

/**
 * @typedef {{ text: string, recordIds: string[], computed?: string }} Statement
 * @typedef {{ brief: string, answered: boolean, statements: Statement[], input: any,
 *   recordOf(id: string): import('../sandbox.mjs').Sent, indexOf(id: string): number }} Reply
 * @typedef {(asked: { question: string, texts: readonly string[] }) => Promise<{ words: readonly string[],
 *   texts: ReadonlyMap<string, { alike: number, said: ArrayLike<number> }> } | undefined>} Comparing
 */

/**
 * Opens a function that answers questions on these records: from the ten best as `search` does, or on the five best as
 * `interpret` does.
 * @param {readonly import('../sandbox.mjs').Sent[]} records
 * @param {(at: number) => { sourceId: string, provider: string }} [originOf]
 * @param {Comparing} [comparing]  semantic comparison; without it answers are selected lexically
 */
export async function openAnswerer(records, originOf, comparing) {
  const { graph, view, ask, indexOf } = await openSandbox(records, originOf)
  const noSources = async () => new Map()
  /**
   * @param {string} query
   * @param {string | undefined} day
   * @param {number} limit
   * @param {readonly string[]} history
   * @returns {Promise<Reply>}
   */
  const answerOne = async (query, day = LATEST_DAY, limit = SEARCHED, history = []) => {
    const read = await ask(query, day, history)
    const ranked = graph.rank(read.question, null, limit, read.times)
    const found = ranked.map(({ id, score, entityIds }, at) => ({ id, score, entityIds, tuples: [at] }))
    const pinned = limit === SEARCHED ? await withUserFacts(view, null, found, read) : found
    const request = {
      intent: read,
      tuples: pinned.map(({ id, entityIds }) => [...entityIds, id]),
      maxTokens: TOKENS_MAX,
      isDetailed: true,
      isOwner: true,
      ...(limit === SEARCHED ? { detail: 'concise' } : { arePinned: true }),
    }
    const { input } = await readBriefInput(view, null, pinned, request, noSources)
    if (comparing) {
      const { question, texts } = comparisonInput(input)
      input.meant = await comparing({ question: questionText(question), texts })
    }
    const answer = answerQuestion(input)
    return {
      ...answer,
      answered: answer.outcome === 'answered',
      input,
      indexOf,
      recordOf: (id) => /** @type {any} */ (records[indexOf(id)]),
    }
  }
  return {
    search: (
      /** @type {string} */ query,
      /** @type {string | undefined} */ day,
      /** @type {readonly string[] | undefined} */ history,
    ) => answerOne(query, day, SEARCHED, history),
    interpret: (/** @type {string} */ query, /** @type {string | undefined} */ day) => answerOne(query, day, PINNED),
  }
}
