import {
  ADDRESSED,
  APART,
  BETWEEN,
  CALLED,
  ENDS_WORDS,
  FAVOURITE,
  FAVOURITE_NOT,
  favouriteOf,
  KIN,
  KIN_WORDS,
  LEAVING,
  OWNED,
  PETS,
  TOGETHER,
} from '../lexicon/facts.ts'
import { isCommonWord, TITLES } from '../lexicon/names.ts'
import { PARTNER } from '../text/kinds.ts'
import { IN_PASSING } from './doubt.ts'
import { nameAt } from './objects.ts'
import { namedEnding, type Place, type Saying, type Stated, type Subject, stands, subjectBefore } from './subjects.ts'

/** Words of what somebody likes best: "favourite video game". */
const KIND_WORDS_MAX = 2
/** Between it and its name: "is definitely". */
const COPULA_MAX = 2
/** From a noun to the name behind its verb: "is now also". */
const COPULA_WORDS_MAX = 4
const OF_SPEAKER = { of: 'speaker', needsBe: false } as const
const ARTICLES: ReadonlySet<string> = new Set(['a', 'an', 'another'])
const NOT_NAMES: ReadonlySet<string> = new Set(['place', 'organization', 'project', 'incident'])
const QUOTED = /^\s*["“]([^"“”\n]{2,60})["”]/
const NAME_WORDS_MAX = 3
/** A name behind a comma goes on with another, where it does not only address somebody: "my cat, Luna, …". */
const GOES_ON: ReadonlySet<string> = new Set(['comma', 'space'])

/** Whom or what somebody has and calls by a name, and what they like best: "my cat Luna", "my favourite book is …". */
export function heldAt(place: Place, at: number, saying: Saying): Stated | undefined {
  const { tokens } = place
  if (OWNED.has(tokens[at]!.lower)) return ownedAt(place, at, saying)
  const owner = ownerAt(place, at, saying)
  if (!owner) return undefined
  const word = kinAt(place, at + 1)
  const noun = tokens[word]
  if (noun?.gap !== 'space') return undefined
  if (KIN.has(noun.lower))
    return namedKin(place, word, owner) ?? calledKin(place, word, owner) ?? isKin(place, at, word)
  return FAVOURITE.has(noun.lower) && word === at + 1 ? favouriteAt(place, word, owner) : undefined
}

/** The place of the noun behind the adjectives that stand from a token on. */
function kinAt({ tokens }: Place, at: number): number {
  let word = at
  while (word < tokens.length && KIN_WORDS.has(tokens[word]!.lower) && tokens[word]!.gap === 'space') word += 1
  return word
}

/** Who is a couple, or no more: "Léa and I are together", "Léa and I broke up", "I split up with Léa". */
export function coupleAt(place: Place, at: number, saying: Saying): Stated | undefined {
  const { tokens } = place
  const { lower } = tokens[at]!
  const leaving = LEAVING.get(lower)?.find(({ words }) => stands(tokens, at, words))
  const end = { predicate: PARTNER, begins: true, isEnd: true } as const
  if (leaving) {
    const owner = subjectBefore(place, at, OF_SPEAKER, saying)
    const first = at + leaving.words.length
    const other = owner && nameAt(place, KIN.has(tokens[first + 1]?.lower ?? '') ? first + 2 : first)
    if (!owner || other?.mention.type !== 'person') return undefined
    return { ...owner, ...end, object: other.mention.name, to: other.to }
  }
  const phraseIn = (phrases: typeof APART) => phrases.get(lower)?.find(({ words }) => stands(tokens, at, words))
  const [apart, together] = [phraseIn(APART), phraseIn(TOGETHER)]
  const phrase = apart ?? together
  const isPair = saying.isSpeakerKnown && tokens[at - 1]?.lower === 'i' && tokens[at - 2]?.lower === 'and'
  const other = phrase && isPair ? nameEnding(place, at - 3) : undefined
  if (!phrase || !other) return undefined
  const said = apart ? end : { predicate: PARTNER, begins: true }
  return { subject: { kind: 'speaker' }, ...other, ...said, to: at + phrase.words.length }
}

/** The name that ends at a token, or a word alone that is written as one: who is meant beside "and I" is somebody. */
function nameEnding({ tokens, ending, starting }: Place, at: number): { object: string; from: number } | undefined {
  const token = tokens[at]
  const mention = token && ending.get(token.to)
  if (!token) return undefined
  if (!mention) {
    return token.shape === 'capital' && !isCommonWord(token.lower) ? { object: token.text, from: at } : undefined
  }
  let from = at
  while (from > 0 && !starting.has(tokens[from]!.from)) from -= 1
  return NOT_NAMES.has(mention.type) ? undefined : { object: mention.name, from }
}

interface Owner {
  subject: Subject
  from: number
}

/** "My", or the name of a person with 's. */
function ownerAt({ tokens, ending, starting }: Place, at: number, { isSpeakerKnown }: Saying): Owner | undefined {
  const { lower, isPossessive, to } = tokens[at]!
  if (lower === 'my') {
    const isSaid = isSpeakerKnown && !ADDRESSED.has(tokens[at - 1]?.lower ?? '')
    return isSaid ? { subject: { kind: 'speaker' }, from: at } : undefined
  }
  const mention = isPossessive ? ending.get(to) : undefined
  if (mention?.type !== 'person') return undefined
  let from = at
  while (from > 0 && !starting.has(tokens[from]!.from)) from -= 1
  return { subject: { kind: 'named', name: mention.name }, from }
}

function namedKin(place: Place, at: number, owner: Owner) {
  const { tokens } = place
  const name = tokens[at + 1]
  if (tokens[at]!.isPossessive || !name || (name.gap !== 'space' && name.gap !== 'comma')) return undefined
  const found = nameAt(place, at + 1)
  if (!found || found.to - at - 1 > NAME_WORDS_MAX || found.mention.type === 'place') return undefined
  const behind = tokens[found.to]
  // "I took my dog, Nate!" speaks to Nate.
  if (name.gap === 'comma' && behind?.gap !== 'comma') return undefined
  if (tokens[found.to - 1]!.isPossessive || (behind && !GOES_ON.has(behind.gap) && behind.gap !== 'end'))
    return undefined
  return { ...owner, predicate: kindAt(place, at), object: found.mention.name, to: found.to, mayBe: IN_PASSING }
}

function kindAt({ tokens }: Place, at: number): string {
  return KIN.get(tokens[at]!.lower)!
}

/** "My dog is called Rex", "my dog's name is Rex", "my dog named Rex", and of people "my boss is Nadia Benali". */
function calledKin(place: Place, at: number, owner: Owner): Stated | undefined {
  const { tokens } = place
  const isNamed = tokens[at]!.isPossessive
  let word = at + 1
  if (isNamed && tokens[word]?.lower !== 'name') return undefined
  if (isNamed) word += 1
  const isCopula = tokens[word]?.lower === 'is'
  if (isCopula) word += 1
  while (isCopula && word - at <= COPULA_WORDS_MAX && BETWEEN.has(tokens[word]?.lower ?? '')) word += 1
  const isCalled = CALLED.has(tokens[word]?.lower ?? '')
  if (isCalled) word += 1
  if ((isNamed && !isCopula) || !(isCopula || isCalled) || tokens[word]?.gap !== 'space') return undefined
  return nameOfKin(place, word, { ...owner, predicate: kindAt(place, at) }, !isCalled && !isNamed)
}

/** The name of somebody that begins at a token; without a word that says it is a name, only one of a person is. */
function nameOfKin(place: Place, at: number, stated: Owner & { predicate: string }, isBare: boolean) {
  const found = nameAt(place, at)
  const name = found
    ? { text: found.mention.name, to: found.to, type: found.mention.type }
    : writtenName(place, at, isBare)
  if (!name || name.to - at > NAME_WORDS_MAX || NOT_NAMES.has(name.type)) return undefined
  if (place.tokens[name.to - 1]!.isPossessive) return undefined
  const isPerson = name.type === 'person' && !PETS.has(stated.predicate)
  if (isBare && !(isPerson && isEnd(place, name.to))) return undefined
  return { ...stated, object: name.text, to: name.to }
}

/** A name that no list knows: "Dr. Rossignol", "Sindre Moe", and a word alone where it is said to be a name. */
function writtenName({ text, tokens }: Place, at: number, isBare: boolean) {
  const isTitled = TITLES.has(tokens[at]!.lower)
  let to = isTitled ? at + 1 : at
  while (to - at < NAME_WORDS_MAX && tokens[to]?.shape === 'capital' && !isCommonWord(tokens[to]!.lower)) {
    const { gap } = tokens[to]!
    if (to > at && gap !== 'space' && !(isTitled && to === at + 1)) break
    to += 1
  }
  const words = to - at
  if (words === 0 || (isTitled && words === 1) || (isBare && words === 1)) return undefined
  return { text: text.slice(tokens[at]!.from, tokens[to - 1]!.to), to, type: 'person' as const }
}

/** Whether a clause ends before a token. */
function isEnd({ tokens }: Place, at: number): boolean {
  const behind = tokens[at]
  return !behind || behind.gap === 'end' || behind.gap === 'comma' || ENDS_WORDS.has(behind.lower)
}

/** "Nadia is my boss." */
function isKin(place: Place, at: number, word: number): Stated | undefined {
  const { tokens } = place
  const isOfSpeaker = tokens[at]!.lower === 'my' && tokens[at - 1]?.lower === 'is'
  if (!isOfSpeaker || tokens[word]!.isPossessive || !isEnd(place, word + 1)) return undefined
  const named = namedEnding(place, at - 2, at - 1)
  if (named?.subject.kind !== 'named') return undefined
  const object = named.subject.name
  return { subject: { kind: 'speaker' }, predicate: kindAt(place, word), object, from: named.from, to: word + 1 }
}

/** "I adopted a small dog called Rex." */
function ownedAt(place: Place, at: number, saying: Saying): Stated | undefined {
  const { tokens } = place
  const owner = subjectBefore(place, at, OF_SPEAKER, saying)
  if (!owner || !ARTICLES.has(tokens[at + 1]?.lower ?? '')) return undefined
  for (let word = at + 2; word < tokens.length && word - at - 2 <= KIND_WORDS_MAX; word += 1) {
    const { gap, lower, isPossessive } = tokens[word]!
    if (gap !== 'space') return undefined
    const isCalled = KIN.has(lower) && !isPossessive && CALLED.has(tokens[word + 1]?.lower ?? '')
    if (isCalled) return nameOfKin(place, word + 2, { ...owner, predicate: kindAt(place, word) }, false)
  }
  return undefined
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
  const predicate = favouriteOf(kind.join(' '))
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
