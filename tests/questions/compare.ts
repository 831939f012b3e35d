import { type Expected, nameOf } from './workspace-rows.ts'

const folded = (name: unknown) => String(name).normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const canonical = new Map([...nameOf].map(([written, name]) => [folded(written), folded(name)]))

/** A name as it is compared: a person by one name, a path by its last part, without accents and case. */
const plain = (name: unknown) => canonical.get(folded(name)) ?? folded(name).split('/').at(-1)
const isNear = (one: unknown, other: unknown) => Math.abs(Number(one) - Number(other)) < 1e-6
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

interface Told {
  answer: string
  columns: string[]
  rows: unknown[][]
}

/** What is wrong with the rows of a reply, beside the answer that was worked out by hand. */
export function faultsOf(answer: Expected, { columns, rows, answer: told }: Told): string[] {
  const fail = () => [`${JSON.stringify(answer)} but ${JSON.stringify(rows).slice(0, 300)} ${told}`]
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
