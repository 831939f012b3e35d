/** How alike two words are, from 0 to 1: Jaro–Winkler, which forgives typing errors and favours equal beginnings. */
export function wordLikeness(one: string, other: string): number {
  if (one === other) return 1
  const reach = Math.max(0, Math.floor(Math.max(one.length, other.length) / 2) - 1)
  const taken = new Uint8Array(other.length)
  const matched: string[] = []
  for (let i = 0; i < one.length; i++) {
    const to = Math.min(other.length, i + reach + 1)
    for (let j = Math.max(0, i - reach); j < to; j++) {
      if (taken[j] || one[i] !== other[j]) continue
      taken[j] = 1
      matched.push(one[i] as string)
      break
    }
  }
  if (matched.length === 0) return 0
  let at = 0
  let swapped = 0
  for (let j = 0; j < other.length; j++) if (taken[j] && other[j] !== matched[at++]) swapped += 1
  const m = matched.length
  const jaro = (m / one.length + m / other.length + (m - swapped / 2) / m) / 3
  let prefix = 0
  while (prefix < PREFIX_MAX && prefix < one.length && one[prefix] === other[prefix]) prefix += 1
  return jaro + prefix * PREFIX_WEIGHT * (1 - jaro)
}

/** Winkler's constants. */
const PREFIX_MAX = 4
const PREFIX_WEIGHT = 0.1

/** Edits (insert, delete, replace, swap of neighbours) that turn one into the other, counted up to `most` + 1. */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1)
      }
      next.push(cost)
    }
    before = row
    row = next
  }
  return Math.min(most + 1, row[other.length]!)
}
