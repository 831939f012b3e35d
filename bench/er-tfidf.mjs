// Baseline: TF-IDF over all words of a mention, and pairs by cosine similarity.

const NEAREST = 10

/**
 * Returns candidate pairs with their cosine similarity: mutual nearest neighbors of two tables, or all pairs of one
 * table.
 * @param {import('./er-sets.mjs').Set} set
 */
export function tfidfPairs({ tables }) {
  const found = []
  const things = tables.flatMap(({ name, records }) =>
    records.map(({ id, ...rest }) => ({ key: `${name}|${id}`, table: name, words: wordsOf(Object.values(rest)) })),
  )
  const lists = new Map()
  for (const [at, { words }] of things.entries()) {
    for (const word of words) {
      if (!lists.has(word)) lists.set(word, [])
      lists.get(word).push(at)
    }
  }
  const idf = (word) => Math.log(1 + things.length / lists.get(word).length)
  const norms = things.map(({ words }) => Math.sqrt([...words].reduce((sum, word) => sum + idf(word) ** 2, 0)))
  const isOne = tables.length === 1
  const nearest = things.map(({ words, table }, at) => {
    const products = new Map()
    for (const word of words) {
      const list = lists.get(word)
      if (list.length > things.length / 10) continue
      for (const other of list) {
        if (other !== at && (isOne || things[other].table !== table)) {
          products.set(other, (products.get(other) ?? 0) + idf(word) ** 2)
        }
      }
    }
    return [...products]
      .map(([other, product]) => ({ other, cosine: product / (norms[at] * norms[other] || 1) }))
      .sort((one, other) => other.cosine - one.cosine)
      .slice(0, isOne ? undefined : NEAREST)
  })
  for (const [at, near] of nearest.entries()) {
    for (const { other, cosine } of isOne ? near : near.slice(0, 1)) {
      const isMutual = isOne || nearest[other][0]?.other === at
      if (at < other && isMutual) found.push({ pair: [things[at].key, things[other].key].sort().join('~'), cosine })
    }
  }
  return found
}

function wordsOf(values) {
  return new Set(
    values
      .join(' ')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [],
  )
}
