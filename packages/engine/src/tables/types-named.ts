import { normaliseType } from '../resolve/things.ts'
import { nounsOf } from './observe-views.ts'
import { wordsOf } from './plan.ts'

/** Records of people tell who is meant by a name, whatever is asked about. */
const PEOPLE = 'person'

/** The words for rows of some types, each in the singular and the plural: "issue", "tickets". Pure. */
export function rowNounsOf(types: Iterable<string>): string[] {
  const all = Array.from(types, normaliseType)
  const nouns = all.flatMap((type) => nounsOf(type, all))
  return [...new Set(nouns.map((noun) => noun.join(' ')))]
}

/**
 * The types whose rows some texts name in words, with those of people; none when they name no type. Pure.
 */
export function typesNamed(types: Iterable<string>, texts: readonly string[]): Set<string> {
  const said = texts.map((text) => ` ${wordsOf(text).join(' ')} `)
  const all = [...types]
  const plain = all.map(normaliseType)
  const isNamed = (type: string) => nounsOf(normaliseType(type), plain).some((noun) => said.some(holds(noun)))
  const named = all.filter(isNamed)
  if (named.length === 0) return new Set()
  return new Set([...named, ...all.filter((type) => normaliseType(type) === PEOPLE)].sort())
}

function holds(noun: readonly string[]): (said: string) => boolean {
  return (said) => said.includes(` ${noun.join(' ')} `)
}
