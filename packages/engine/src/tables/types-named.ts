import { normaliseType } from '../resolve/declarations.ts'
import { nounsOf } from './observe-views.ts'
import { wordsOf } from './plan.ts'

/** Type of people's records. Names in any query are resolved with them. */
const PEOPLE = 'person'

/** Returns the nouns for rows of some types, in singular and plural: "issue", "tickets". The function is pure. */
export function rowNounsOf(types: Iterable<string>): string[] {
  const all = new Set(Array.from(types, normaliseType))
  const nouns = [...all].flatMap((type) => nounsOf(type, all))
  return [...new Set(nouns.map((noun) => noun.join(' ')))]
}

/** Returns the types whose rows the texts name, plus that of people; empty if they name none. The function is pure. */
export function typesNamed(types: Iterable<string>, texts: readonly string[]): Set<string> {
  const said = texts.map((text) => ` ${wordsOf(text).join(' ')} `)
  const all = [...types]
  const plain = new Set(all.map(normaliseType))
  const isNamed = (type: string) => nounsOf(normaliseType(type), plain).some((noun) => said.some(holds(noun)))
  const named = all.filter(isNamed)
  if (named.length === 0) return new Set()
  return new Set([...named, ...all.filter((type) => normaliseType(type) === PEOPLE)].sort())
}

function holds(noun: readonly string[]): (said: string) => boolean {
  return (said) => said.includes(` ${noun.join(' ')} `)
}
