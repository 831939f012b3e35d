import {
  type AnalysedEntry,
  type AnalysedKey,
  type AnalysedTerm,
  type AnalysedText,
  type AnalysedTurn,
  ENTRY_KIND,
  encodeAnalysis,
} from './analysis-codec.ts'
import { identifiersOf } from './identifiers.ts'
import { fieldTerms, typeTerm } from './kinds.ts'
import { type KeyHash, type Mention, mentionsOf, nameKey, titleNames } from './names.ts'
import { type Passage, passagesOf, type ReadingName } from './passages.ts'
import { termOf } from './stem.ts'
import { eachTerm } from './terms.ts'
import { foldText, wordsOfFolded } from './words.ts'

/** The parts of a record that are analysed. */
export interface RecordText {
  title?: string | undefined
  text?: string | undefined
  /** The words of its fields, analysed after the text, or after the first passage of a long text. */
  fields?: string | undefined
  /** The types of the record and of what it is declared to be about, and those of them that its title names. */
  types?: readonly string[] | undefined
  titled?: readonly string[] | undefined
  /** The values of its declared fields, by which records are listed. */
  declaredFields?: Readonly<Record<string, string>> | undefined
  /**
   * The things that the record declares, each with its keys: the first is the anchor, by which the record is joined
   * to the thing's entity with `weight` (1 unless given); by the others it is known where the record is in scope.
   */
  declared: { keys: string[]; weight?: number }[]
  /**
   * The anchor key of the record's own entity, when the record is a thing. The names in its title then count as
   * declared.
   */
  own?: string | undefined
  /** Keys of the names that its text mentions: they are declared, and join the record to nothing else. */
  mentioned?: readonly string[] | undefined
  /** How it stands in a conversation; left out, it stands in none and nobody said it. */
  turn?: Turn | undefined
  /** Ways of reading that are left out, to see what they are worth. */
  without?: readonly ReadingName[] | undefined
}

/** Where and by whom something was said. */
export interface Turn {
  /** The key of the thread, channel or other place. */
  conversation: string | undefined
  /** Talks follow each other there, so that only what is near in time belongs together. */
  isLoose: boolean
  /** It asks something, and ends with what it asks. */
  asks: boolean
  endsAsking: boolean
  /** A number that orders what has the same time. */
  position: number
  /** The anchor key of the author, one of those declared. */
  author: string | undefined
}

/** How much a word of the title counts beside one of the text. */
const TITLE_WEIGHT = 3
/** How much a record's own entity counts beside one mention. */
const OWN_WEIGHT = 5
/** Characters that are analysed; a longer text is to be cut into records, and is still found by its beginning. */
export const TEXT_LENGTH_MAX = 400_000

/** A term as it is indexed; kept apart from keys, so that neither can pass for the other. */
export function termKey(term: string): string {
  return `t:${term}`
}

/** What a word of a heading counts in the passages under it. */
const HEADING_WEIGHT = 2

interface AnalysisDraft {
  hash: KeyHash
  length: number
  terms: Map<string, AnalysedTerm & { at: number }>
  keys: Map<string, AnalysedKey & { at: number }>
  entries: AnalysedEntry[]
}

function addTerm(draft: AnalysisDraft, term: string, weight: number, isLowerCase: boolean): void {
  draft.length += weight
  const known = draft.terms.get(term)
  if (known === undefined) {
    const hash = draft.hash(termKey(term))
    draft.terms.set(term, { hash, frequency: weight, isLowerCase, at: draft.terms.size })
    return
  }
  known.frequency += weight
  known.isLowerCase ||= isLowerCase
}

function keyOf(draft: AnalysisDraft, key: string): AnalysedKey & { at: number } {
  let known = draft.keys.get(key)
  if (known === undefined) {
    known = {
      hash: draft.hash(key),
      count: 0,
      isNameLike: false,
      isDeclared: false,
      isContested: false,
      isOwn: false,
      wordTerm: 0,
      at: draft.keys.size,
    }
    draft.keys.set(key, known)
  }
  return known
}

function addDeclared(draft: AnalysisDraft, record: RecordText): void {
  if (record.own !== undefined) {
    const key = keyOf(draft, record.own)
    key.count += OWN_WEIGHT
    key.isOwn = true
    key.isDeclared = true
    draft.entries.push({ key: key.at, kind: ENTRY_KIND.own, at: OWN_WEIGHT, length: 0 })
    const { full, aliases } = titleNames(record.title ?? '')
    for (const name of [full, ...aliases]) if (name !== '') keyOf(draft, nameKey(name)).isDeclared = true
  }
  for (const each of record.mentioned ?? []) {
    const key = keyOf(draft, each)
    key.count = 1
    key.isDeclared = true
  }
  for (const { keys, weight = 1 } of record.declared) {
    const [anchor, ...others] = keys
    if (anchor === undefined) continue
    const key = keyOf(draft, anchor)
    key.isDeclared = true
    for (const other of others) keyOf(draft, other).isDeclared = true
    if (anchor === record.own || keys.includes(record.own ?? '')) continue
    key.count += weight
    draft.entries.push({ key: key.at, kind: ENTRY_KIND.declared, at: weight, length: 0 })
  }
}

/**
 * Whether the text's whole reading decides on the mention at `index`: another candidate may win words of it, being
 * longer or as long and earlier, or it counts for nothing unless an entity owns it.
 */
function isContested(mentions: readonly Mention[], index: number, reached: number): boolean {
  const { at, length, kind } = mentions[index]!
  if (kind === 'joined' || reached > at || mentions[index - 1]?.at === at) return true
  for (let next = index + 1; next < mentions.length && mentions[next]!.at < at + length; next += 1) {
    if (mentions[next]!.length > length) return true
  }
  return false
}

function addMentions(draft: AnalysisDraft, mentions: readonly Mention[], offset: number): void {
  let reached = 0
  for (const [index, mention] of mentions.entries()) {
    const key = keyOf(draft, mention.key)
    key.count += 1
    if (mention.kind !== 'weak' && mention.kind !== 'joined') key.isNameLike = true
    if (isContested(mentions, index, reached)) key.isContested = true
    if (mention.kind === 'word' && key.wordTerm === 0) {
      const term = termOf(mention.key.slice(2))
      key.wordTerm = (term === undefined ? -1 : (draft.terms.get(term)?.at ?? -1)) + 1
    }
    const kind = ENTRY_KIND[mention.kind]
    draft.entries.push({ key: key.at, kind, at: mention.at + offset, length: mention.length })
    reached = Math.max(reached, mention.at + mention.length)
  }
}

function addField(draft: AnalysisDraft, text: string, weight: number, offset: number): number {
  const folded = foldText(text)
  const words = wordsOfFolded(folded)
  const identifiers = identifiersOf(folded, words)
  eachTerm(folded, words, identifiers, (term, word) => {
    addTerm(draft, term, weight, word !== undefined && !word.isCapital && !word.isCaseless)
  })
  addMentions(draft, mentionsOf(words, identifiers), offset)
  return offset + words.length
}

/** Its types are terms beside its text, of which they are no words. */
function addTypes(draft: AnalysisDraft, { types = [], titled = [] }: RecordText): void {
  for (const type of new Set(types)) {
    const term = typeTerm(type)
    const frequency = titled.includes(type) ? OWN_WEIGHT : 1
    setTerm(draft, term, frequency)
  }
}

function addFields(draft: AnalysisDraft, { declaredFields = {} }: RecordText): void {
  for (const [field, value] of Object.entries(declaredFields))
    for (const term of fieldTerms(field, value)) setTerm(draft, term, 1)
}

/** A term that is no word of the text, and so adds nothing to its length. */
function setTerm(draft: AnalysisDraft, term: string, frequency: number): void {
  draft.terms.set(term, { hash: draft.hash(termKey(term)), frequency, isLowerCase: false, at: draft.terms.size })
}

function turnOf(draft: AnalysisDraft, { turn }: RecordText): AnalysedTurn {
  const author = turn?.author === undefined ? undefined : draft.keys.get(turn.author)
  return {
    conversation: turn?.conversation === undefined ? 0 : draft.hash(turn.conversation),
    isLoose: turn?.isLoose ?? false,
    asks: turn?.asks ?? false,
    endsAsking: turn?.endsAsking ?? false,
    position: turn?.position ?? 0,
    author: author === undefined ? 0 : author.at + 1,
  }
}

function newDraft(hash: KeyHash): AnalysisDraft {
  return { hash, length: 0, terms: new Map(), keys: new Map(), entries: [] }
}

function toText({ length, terms, keys, entries }: AnalysisDraft): AnalysedText {
  return { length, terms: [...terms.values()], keys: [...keys.values()], entries }
}

/** A passage after the first: its words under the title and the headings over it. */
function analysePassage(record: RecordText, passage: Passage, hash: KeyHash): AnalysedText {
  const draft = newDraft(hash)
  let offset = addField(draft, record.title ?? '', TITLE_WEIGHT, 0)
  for (const heading of passage.headings) offset = addField(draft, heading, HEADING_WEIGHT, offset)
  addField(draft, record.text!.slice(passage.from, passage.to), 1, offset)
  addTypes(draft, record)
  return toText(draft)
}

/**
 * Returns the passages that a text is ranked by, in order: empty for a text that is ranked as a whole. `without` names
 * ways of reading that a benchmark leaves out.
 */
export function rankedPassagesOf(text: string, without: readonly ReadingName[] = []): Passage[] {
  return passagesOf(text.slice(0, TEXT_LENGTH_MAX), without)
}

/**
 * The stored analysis of a record: its terms, the keys that it declares and the names that it may mention, of a long
 * text passage by passage. It knows nothing but the record, so that it never has to be made again when others arrive.
 */
export function analyseRecord(record: RecordText, hash: KeyHash): Uint8Array {
  const text = record.text?.slice(0, TEXT_LENGTH_MAX) ?? ''
  const [first, ...others] = rankedPassagesOf(text, record.without)
  const own = first ? text.slice(first.from, first.to) : text
  const draft = newDraft(hash)
  addDeclared(draft, record)
  const offset = addField(draft, record.title ?? '', TITLE_WEIGHT, 0)
  addField(draft, [own, record.fields].filter(Boolean).join('\n'), 1, offset)
  addTypes(draft, record)
  addFields(draft, record)
  const turn = turnOf(draft, record)
  const passages = others.map((passage) => analysePassage({ ...record, text }, passage, hash))
  return encodeAnalysis({ ...toText(draft), turn, passages })
}
