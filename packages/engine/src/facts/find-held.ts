import { BETWEEN, FAVOURITE, FAVOURITE_NOT, KIN, KIN_WORDS } from '../lexicon/facts.ts'
import { DOUBT } from './doubt.ts'
import { nameAt } from './objects.ts'
import type { Place, Saying, Stated, Subject } from './subjects.ts'

/** Words of what somebody likes best: "favourite video game". */
const KIND_WORDS_MAX = 2
/** Between it and its name: "is definitely". */
const COPULA_MAX = 2
const QUOTED = /^\s*["“]([^"“”\n]{2,60})["”]/
const NAME_WORDS_MAX = 3
/** A name behind a comma goes on with another, where it does not only address somebody: "my cat, Luna, …". */
const GOES_ON: ReadonlySet<string> = new Set(['comma', 'space'])

/** Whom or what somebody has and calls by a name, and what they like best: "my cat Luna", "my favourite book is …". */
export function heldAt(place: Place, at: number, saying: Saying): Stated | undefined {
  const { tokens } = place
  const owner = ownerAt(place, at, saying)
  if (!owner) return undefined
  let word = at + 1
  while (word < tokens.length && KIN_WORDS.has(tokens[word]!.lower) && tokens[word]!.gap === 'space') word += 1
  const noun = tokens[word]
  if (noun?.gap !== 'space' || noun.isPossessive) return undefined
  if (KIN.has(noun.lower)) return namedKin(place, word, owner)
  return FAVOURITE.has(noun.lower) && word === at + 1 ? favouriteAt(place, word, owner) : undefined
}

interface Owner {
  subject: Subject
  from: number
}

/** "My", or the name of a person with 's. */
function ownerAt({ tokens, ending, starting }: Place, at: number, { isSpeakerKnown }: Saying): Owner | undefined {
  const { lower, isPossessive, to } = tokens[at]!
  if (lower === 'my') return isSpeakerKnown ? { subject: { kind: 'speaker' }, from: at } : undefined
  const mention = isPossessive ? ending.get(to) : undefined
  if (mention?.type !== 'person') return undefined
  let from = at
  while (from > 0 && !starting.has(tokens[from]!.from)) from -= 1
  return { subject: { kind: 'named', name: mention.name }, from }
}

function namedKin(place: Place, at: number, owner: Owner) {
  const { tokens } = place
  const name = tokens[at + 1]
  if (!name || (name.gap !== 'space' && name.gap !== 'comma')) return undefined
  const found = nameAt(place, at + 1)
  if (!found || found.to - at - 1 > NAME_WORDS_MAX || found.mention.type === 'place') return undefined
  const behind = tokens[found.to]
  // "I took my dog, Nate!" speaks to Nate.
  if (name.gap === 'comma' && behind?.gap !== 'comma') return undefined
  if (tokens[found.to - 1]!.isPossessive || (behind && !GOES_ON.has(behind.gap) && behind.gap !== 'end'))
    return undefined
  return { ...owner, predicate: tokens[at]!.lower, object: found.mention.name, to: found.to, mayBe: DOUBT.unsaid }
}

function favouriteAt(place: Place, at: number, owner: Owner) {
  const { tokens, text } = place
  let verb = at + 1
  while (verb < tokens.length && verb - at <= KIND_WORDS_MAX && tokens[verb]!.lower !== 'is') {
    if (tokens[verb]!.gap !== 'space' || tokens[verb]!.shape !== 'lower') return undefined
    verb += 1
  }
  const kind = tokens.slice(at + 1, verb).map(({ lower }) => lower)
  if (tokens[verb]?.lower !== 'is' || kind.length === 0 || FAVOURITE_NOT.has(kind.at(-1)!)) return undefined
  let first = verb + 1
  while (first < tokens.length && first - verb < COPULA_MAX && BETWEEN.has(tokens[first]!.lower)) first += 1
  const predicate = ['favourite', ...kind].join(' ')
  const quoted = QUOTED.exec(text.slice(tokens[first - 1]!.to, tokens[first - 1]!.to + 70))
  if (quoted) {
    const end = tokens[first - 1]!.to + quoted[0].length
    return { ...owner, predicate, object: quoted[1]!.replace(/[.,!]$/, ''), to: first, end }
  }
  const found = nameAt(place, first)
  return found && tokens[first]!.gap === 'space'
    ? { ...owner, predicate, object: found.mention.name, to: found.to }
    : undefined
}
