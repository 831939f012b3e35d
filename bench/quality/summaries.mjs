// Query-independent summaries of texts: lead sentences, and TextRank (Mihalcea and Tarau 2004: PageRank over sentences
// linked by shared words).
const DAMPING = 0.85
const ROUNDS = 30

/** @param {string} text */
function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

/**
 * Returns sentences up to a number of words; the last one is cut.
 * @param {readonly string[]} sentences
 * @param {number} length
 */
function upTo(sentences, length) {
  const taken = []
  let left = length
  for (const sentence of sentences) {
    if (left <= 0) break
    const words = wordsOf(sentence)
    taken.push(words.slice(0, left).join(' '))
    left -= words.length
  }
  return taken.join(' | ')
}

/**
 * Returns the first sentence of every text, then every second one, and so on, up to a number of words.
 * @param {readonly (readonly string[])[]} texts
 * @param {number} length
 */
export function leadSentences(texts, length) {
  const most = Math.max(0, ...texts.map((text) => text.length))
  const inTurn = Array.from({ length: most }, (_, at) => texts.flatMap((text) => text[at] ?? [])).flat()
  return upTo(inTurn, length)
}

/**
 * Returns the highest-ranked sentences of TextRank, up to a number of words.
 * @param {readonly (readonly string[])[]} texts
 * @param {number} length
 */
export function textRank(texts, length) {
  const sentences = texts.flat()
  const bags = sentences.map((sentence) => new Set(wordsOf(sentence)))
  const likeness = bags.map((one, at) => bags.map((other, to) => (at === to ? 0 : shared(one, other))))
  const sums = likeness.map((row) => row.reduce((sum, value) => sum + value, 0))
  let rank = sentences.map(() => 1)
  for (let round = 0; round < ROUNDS; round += 1) {
    rank = rank.map((_, to) => {
      const given = rank.reduce(
        (sum, own, at) => sum + (sums[at] ? (own * (likeness[at]?.[to] ?? 0)) / sums[at] : 0),
        0,
      )
      return 1 - DAMPING + DAMPING * given
    })
  }
  const order = sentences.map((_, at) => at).sort((one, other) => (rank[other] ?? 0) - (rank[one] ?? 0) || one - other)
  return upTo(
    order.map((at) => sentences[at] ?? ''),
    length,
  )
}

/**
 * @param {ReadonlySet<string>} one
 * @param {ReadonlySet<string>} other
 */
function shared(one, other) {
  const both = [...one].filter((word) => other.has(word)).length
  const size = Math.log(one.size) + Math.log(other.size)
  return size > 0 ? both / size : 0
}
