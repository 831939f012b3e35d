// Pairs that must never be one, judged by themselves: names that are the same but for a number.

/**
 * How many pairs of one entity have names that differ in a number alone, of those that are not truly one.
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
