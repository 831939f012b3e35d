// Measures how much of a known text was extracted, and whether its order was kept.

/** @param {string} text */
function wordsOf(text) {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** @param {string[]} list */
function countOf(list) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const each of list) counts.set(each, (counts.get(each) ?? 0) + 1)
  return counts
}

/**
 * Returns the share of the listed items that occur as often in the other list. @param {string[]} listed @param
 * {string[]} there
 */
function share(listed, there) {
  const counts = countOf(there)
  let found = 0
  for (const [each, times] of countOf(listed)) found += Math.min(times, counts.get(each) ?? 0)
  return listed.length === 0 ? 1 : found / listed.length
}

/** @param {string[]} words */
function pairsOf(words) {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`)
}

/**
 * Returns the share of a text's words that were extracted, and of its adjacent word pairs that are still adjacent.
 * @param {string} text
 * @param {string} read
 */
export function compare(text, read) {
  const [expected, found] = [wordsOf(text), wordsOf(read)]
  return { words: share(expected, found), order: share(pairsOf(expected), pairsOf(found)) }
}
