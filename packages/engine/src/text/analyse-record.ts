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
import { type AnalysisStep, type Passage, passagesOf } from './passages.ts'
import { termOf } from './stem.ts'
import { eachTerm } from './terms.ts'
import { foldText, wordsOfFolded } from './words.ts'

/** Parts of a record that are analyzed. */
export interface RecordText {
  title?: string | undefined
  text?: string | undefined
  /** Text of the record's fields. It is analyzed after the text, or after the first passage of a long text. */
  fields?: string | undefined
  /** Types of the record and of its declared entities. `titled` has the types that the title names. */
  types?: readonly string[] | undefined
  titled?: readonly string[] | undefined
  /** Values of the declared fields, such as owner and due date. Records can be listed by them. */
  declaredFields?: Readonly<Record<string, string>> | undefined
  /** Keys of each declared entity. The first key links the record to the entity with `weight` (default 1). */
  declared: { keys: string[]; weight?: number }[]
  /** First key of the entity that the record describes. The names in its title then count as declared. */
  own?: string | undefined
  /** Keys of mentioned names. The names count as declared, but link the record to no entity. */
  mentioned?: readonly string[] | undefined
  /** Position in a conversation. Omitted for a record outside conversations, which has no author here. */
  turn?: Turn | undefined
  /** Analysis steps that are disabled, to measure their effect. */
  without?: readonly AnalysisStep[] | undefined
}

/** Position of a record in a conversation, and its author. */
export interface Turn extends Omit<AnalysedTurn, 'conversation' | 'author'> {
  /** Key of the thread, channel or other place. */
  conversation: string | undefined
  /** True if the place contains several conversations, so that only records close in time belong together. */
  isLoose: boolean
  /** True if the record contains a question. `endsAsking` is true if it ends with one. */
  asks: boolean
  endsAsking: boolean
  /** Position among records with the same time. */
  position: number
  /** First key of the author, who must be among `declared`. */
  author: string | undefined
}

/** Weight of a word in the title, relative to the text. */
const TITLE_WEIGHT = 3
/** Weight of a record's own entity, relative to a mention. */
const OWN_WEIGHT = 5
/** Maximum number of characters that are analyzed. A longer text can be found only by its beginning. */
export const TEXT_LENGTH_MAX = 400_000

/** Returns the index key of a term. The prefix separates terms from other keys. */
export function termKey(term: string): string {
  return `t:${term}`
}

/** Weight of a heading's word in the passages under it. */
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
 * Returns true if a mention may not count: another candidate overlaps it, or it counts only if an entity has this name.
 * The ranking then resolves the overlaps.
 */
function isContested(mentions: readonly Mention[], index: number, coveredTo: number): boolean {
  const { at, length, kind } = mentions[index]!
  if (kind === 'joined' || coveredTo > at || mentions[index - 1]?.at === at) return true
  for (let next = index + 1; next < mentions.length && mentions[next]!.at < at + length; next += 1) {
    if (mentions[next]!.length > length) return true
  }
  return false
}

function addMentions(draft: AnalysisDraft, mentions: readonly Mention[], offset: number): void {
  let coveredTo = 0
  for (const [index, mention] of mentions.entries()) {
    const key = keyOf(draft, mention.key)
    key.count += 1
    if (mention.kind !== 'weak' && mention.kind !== 'joined') key.isNameLike = true
    if (isContested(mentions, index, coveredTo)) key.isContested = true
    if (mention.kind === 'word' && key.wordTerm === 0) {
      const term = termOf(mention.key.slice('n:'.length))
      key.wordTerm = (term === undefined ? -1 : (draft.terms.get(term)?.at ?? -1)) + 1
    }
    const kind = ENTRY_KIND[mention.kind]
    draft.entries.push({ key: key.at, kind, at: mention.at + offset, length: mention.length })
    coveredTo = Math.max(coveredTo, mention.at + mention.length)
  }
}

/** Adds the terms and mentions of a text. Returns the offset of the next text in words. */
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

/** Adds the types as terms. They do not count towards the length of the text. */
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

/** Sets the frequency of a term that is not a word of the text. It does not count towards the length of the text. */
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

function createDraft(hash: KeyHash): AnalysisDraft {
  return { hash, length: 0, terms: new Map(), keys: new Map(), entries: [] }
}

function toText({ length, terms, keys, entries }: AnalysisDraft): AnalysedText {
  return { length, terms: [...terms.values()], keys: [...keys.values()], entries }
}

/** Analyzes a passage after the first, with the title and the headings above it. */
function analysePassage(record: RecordText, passage: Passage, hash: KeyHash): AnalysedText {
  const draft = createDraft(hash)
  let offset = addField(draft, record.title ?? '', TITLE_WEIGHT, 0)
  for (const heading of passage.headings) offset = addField(draft, heading, HEADING_WEIGHT, offset)
  addField(draft, record.text!.slice(passage.from, passage.to), 1, offset)
  addTypes(draft, record)
  return toText(draft)
}

/**
 * Returns the passages of a long text that are ranked separately, in order; empty for a text that is ranked as a whole.
 * `without` names analysis steps that a benchmark disables.
 */
export function rankedPassagesOf(text: string, without: readonly AnalysisStep[] = []): Passage[] {
  return passagesOf(text.slice(0, TEXT_LENGTH_MAX), without)
}

/**
 * Returns the analysis of a record for storage (`encodeAnalysis`): its terms, declared keys and candidate mentions, and
 * those of each further passage. It depends on this record only, so it stays valid when other records arrive.
 */
export function analyseRecord(record: RecordText, hash: KeyHash): Uint8Array {
  const text = record.text?.slice(0, TEXT_LENGTH_MAX) ?? ''
  const [first, ...others] = rankedPassagesOf(text, record.without)
  const own = first ? text.slice(first.from, first.to) : text
  const draft = createDraft(hash)
  addDeclared(draft, record)
  const offset = addField(draft, record.title ?? '', TITLE_WEIGHT, 0)
  addField(draft, [own, record.fields].filter(Boolean).join('\n'), 1, offset)
  addTypes(draft, record)
  addFields(draft, record)
  const turn = turnOf(draft, record)
  const passages = others.map((passage) => analysePassage({ ...record, text }, passage, hash))
  return encodeAnalysis({ ...toText(draft), turn, passages })
}
