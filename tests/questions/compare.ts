import { type Expected, nameOf } from './workspace-rows.ts'

const folded = (name: unknown) => String(name).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const canonical = new Map([...nameOf].map(([written, name]) => [folded(written), folded(name)]))

/** Normalizes a name for comparison: one name per person, the last part of a path, no accents or case. */
const plain = (name: unknown) => canonical.get(folded(name)) ?? folded(name).split('/').at(-1)
const isNear = (one: unknown, other: unknown) => Math.abs(Number(one) - Number(other)) < 1e-6
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

interface RowsAnswer {
  answer: string
  columns: string[]
  rows: unknown[][]
}

/** Returns how a reply differs from the expected answer. */
export function faultsOf(answer: Expected, { columns, rows, answer: text }: RowsAnswer): string[] {
  const fail = () => [`${JSON.stringify(answer)} but ${JSON.stringify(rows).slice(0, 300)} ${text}`]
  if (answer.ids) {
    const ids = rows.map((row) => row[columns.indexOf('external_id')]).sort()
    return same(ids, answer.ids) ? [] : fail()
  }
  if (answer.groups) {
    const sorted = (pairs: unknown[][]) => pairs.map(([name, count]) => [plain(name), count]).sort()
    return same(sorted(rows), sorted(Object.entries(answer.groups))) ? [] : fail()
  }
  if (answer.best) {
    const names = rows.map(([name]) => plain(name)).sort()
    const isRight = same(names, answer.best.map(plain).sort()) && rows.every(([, value]) => isNear(value, answer.value))
    return isRight ? [] : fail()
  }
  const [only = []] = rows
  return rows.length === 1 && only.length === 1 && isNear(only[0], answer.value) ? [] : fail()
}
