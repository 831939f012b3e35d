// Measures of answers: supported by gold records, containing the expected answer, and without words that are not in the
// records.
import { unfaithfulWords } from '../product.mjs'
import { mean } from '../quality/measures.mjs'

const ARTICLES = ['a', 'an', 'the']

/** @param {string} text */
function words(text) {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

/** @param {string} text */
export function wordCount(text) {
  return text.split(/\s+/).filter(Boolean).length
}

/**
 * Returns true if a text contains an answer, ignoring case, punctuation and articles.
 * @param {string} text
 * @param {string} answer
 */
export function holds(text, answer) {
  const plain = (/** @type {string} */ each) =>
    ` ${words(each)
      .filter((word) => !ARTICLES.includes(word))
      .join(' ')} `
  return plain(text).includes(plain(answer))
}

/** @param {number[]} numbers */
function medianOf(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** @param {readonly { reply: import('./answerer.mjs').Reply, asked: any }[]} answers */
export function figuresOf(answers) {
  const withReply = answers.filter(({ reply: { answered } }) => answered)
  const onGold = withReply.flatMap(({ asked: { gold }, reply: { statements, indexOf } }) =>
    statements.flatMap(({ recordIds }) =>
      recordIds.length === 0 ? [] : [mean(recordIds.map((id) => Number(gold.has(indexOf(id)))))],
    ),
  )
  const evidence = withReply.map(({ asked: { gold }, reply: { statements, indexOf } }) => {
    const used = new Set(statements.flatMap(({ recordIds }) => recordIds.map(indexOf)))
    return [...gold.keys()].filter((each) => used.has(each)).length / Math.max(1, gold.size)
  })
  const asked = answers.flatMap(({ asked: { answer, expect }, reply: each }) => {
    // A yes/no answer does not occur in a text.
    const wanted = expect ?? (answer && !/^(?:yes|no)$/i.test(answer) ? [answer] : [])
    const held = each.input.records.map((/** @type {any} */ { title, text }) => `${title}. ${text}`).join('\n')
    return wanted.flatMap((/** @type {string} */ one) => (holds(held, one) ? [{ one, each }] : []))
  })
  const share = (/** @type {(reply: import('./answerer.mjs').Reply) => string} */ of) =>
    asked.length === 0 ? Number.NaN : mean(asked.map(({ one, each }) => Number(holds(of(each), one))))
  return {
    onGold: mean(onGold),
    evidence: mean(evidence),
    held: share(({ brief }) => brief),
    first: share(({ statements }) => statements[0]?.text ?? ''),
    median: medianOf(withReply.map(({ reply: { brief } }) => wordCount(brief))),
    unfaithful: answers.filter(({ reply: each }) => unfaithfulWords(each, each.input.records).length > 0).length,
  }
}
