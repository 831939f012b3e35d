// Counts pairs that must never match: names that differ only in a number.

/**
 * Returns the number of pairs in the same entity whose names differ only in a number and that do not match according to
 * the labels.
 * @param {import('./er-sets.mjs').Set} set
 * @param {string[][]} groups
 */
export function vetoedTogether({ tables, gold }, groups) {
  const names = new Map(
    tables.flatMap(({ name, records }) => records.map(({ id, title }) => [`${name}|${id}`, partsOf(title)])),
  )
  let count = 0
  for (const group of groups) {
    const members = group.toSorted()
    for (const [at, one] of members.entries()) {
      for (const other of members.slice(at + 1)) {
        const [a, b] = [names.get(one), names.get(other)]
        if (!gold.has(`${one}~${other}`) && a.words === b.words && differ(a.numbers, b.numbers)) count += 1
      }
    }
  }
  return count
}

function partsOf(title) {
  const tokens = title.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const words = tokens.filter((token) => !/\d/.test(token))
  return { words: words.toSorted().join(' '), numbers: tokens.filter((token) => /\d/.test(token)) }
}

function differ(one, other) {
  return one.some((number) => !other.includes(number)) && other.some((number) => !one.includes(number))
}
