/** How a key stands in a record. The numbers are stored. */
export const ENTRY_KIND = { declared: 0, own: 1, span: 2, word: 3, identifier: 4, weak: 5, joined: 6 } as const
export type EntryKind = (typeof ENTRY_KIND)[keyof typeof ENTRY_KIND]

/** A term of a record: how often it stands there, and whether it does so in lower case somewhere. */
export interface AnalysedTerm {
  hash: number
  frequency: number
  isLowerCase: boolean
}

/** A key that a record holds, with what a posting has to know about it. */
export interface AnalysedKey {
  hash: number
  /** Mentions, and the weight of a declaration. */
  count: number
  /** Enough records that hold it so make it a name even when no entity owns it. */
  isNameLike: boolean
  /** The record itself says that its entity is called so. */
  isDeclared: boolean
  /** Another candidate shares words with one of its mentions, so only the text's whole reading decides. */
  isContested: boolean
  /** The record is the entity's own. */
  isOwn: boolean
  /** For a single word, the position of its term in the record's terms plus one, else 0. */
  wordTerm: number
}

/** One mention of a key: its place in words, or for what is declared no length and its weight as `at`. */
export interface AnalysedEntry {
  key: number
  kind: EntryKind
  at: number
  length: number
}

/** How a record stands in what was said with it. */
export interface AnalysedTurn {
  /** Hash of the thread, channel or other place in which it was said; 0 for none. */
  conversation: number
  /** The place is one where talks follow each other, so that only what is near in time belongs together. */
  isLoose: boolean
  /** It asks something. */
  asks: boolean
  /** It ends with what it asks. */
  endsAsking: boolean
  /** Order among those of one moment. */
  position: number
  /** Position in the record's keys of the one that joins it to its author, plus one; 0 without an author. */
  author: number
}

/** What a text says: of a record that is read as a whole all of it, of a long one each passage by itself. */
export interface AnalysedText {
  /** Terms counted with repeats, as ranking normalises by it. */
  length: number
  terms: AnalysedTerm[]
  keys: AnalysedKey[]
  entries: AnalysedEntry[]
}

interface Analysis extends AnalysedText {
  turn: AnalysedTurn
  /** The passages after the first, which is the record's own text. */
  passages: AnalysedText[]
}

/** First byte of the analysis of a record that is read in passages, and of one that is read as a whole. */
export const ANALYSIS_VERSION_WITH_PASSAGES = 3
export const ANALYSIS_VERSION = 2
/** First byte of those made before turns were told; all else in them is the same. */
export const ANALYSIS_VERSION_WITHOUT_TURN = 1

/** The most often a term is counted: 7 bits; frequency saturates long before. */
export const FREQUENCY_MAX = 127
/** The most often a key is counted: 4 bits. */
const COUNT_MAX = 15
/** Low bytes of a hash, and what is above them. */
const LOW_SPAN = 2 ** 32
const HASH_BYTES = 7
/** A varint of 32 bits is five bytes at most. */
const VARINT_BYTES = 5

/** The bits of a turn's first byte. */
export const TURN_FLAG = { placed: 1, loose: 2, asks: 4, endsAsking: 8 } as const

/** The bits of a key's byte above its count; a posting in the graph carries the same byte. */
export const KEY_FLAG = { nameLike: 16, declared: 32, contested: 64, own: 128 } as const

/** Reads and writes the primitives of an analysis at a position that moves. */
export interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

function writeVarint(out: Cursor, value: number): void {
  let rest = value
  while (rest > 127) {
    out.bytes[out.at++] = (rest & 127) | 128
    rest >>>= 7
  }
  out.bytes[out.at++] = rest
}

/** Reads an unsigned number of up to 32 bits. */
export function readVarint(input: Cursor): number {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = input.bytes[input.at++]!
    value |= (byte & 127) << shift
    if (byte < 128) return value >>> 0
  }
}

function writeHash(out: Cursor, hash: number): void {
  const { bytes } = out
  const high = Math.floor(hash / LOW_SPAN)
  const low = hash >>> 0
  bytes[out.at++] = low
  bytes[out.at++] = low >>> 8
  bytes[out.at++] = low >>> 16
  bytes[out.at++] = low >>> 24
  bytes[out.at++] = high
  bytes[out.at++] = high >>> 8
  bytes[out.at++] = high >>> 16
}

/** Reads a 52-bit hash. */
export function readHash(input: Cursor): number {
  const { bytes, at } = input
  input.at = at + HASH_BYTES
  const low = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  return low + (bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16)) * LOW_SPAN
}

function keyByte(key: AnalysedKey): number {
  return (
    Math.min(key.count, COUNT_MAX) |
    (key.isNameLike ? KEY_FLAG.nameLike : 0) |
    (key.isDeclared ? KEY_FLAG.declared : 0) |
    (key.isContested ? KEY_FLAG.contested : 0) |
    (key.isOwn ? KEY_FLAG.own : 0)
  )
}

function writeTurn(out: Cursor, turn: AnalysedTurn): void {
  out.bytes[out.at++] =
    (turn.conversation > 0 ? TURN_FLAG.placed : 0) |
    (turn.isLoose ? TURN_FLAG.loose : 0) |
    (turn.asks ? TURN_FLAG.asks : 0) |
    (turn.endsAsking ? TURN_FLAG.endsAsking : 0)
  if (turn.conversation > 0) writeHash(out, turn.conversation)
  writeVarint(out, turn.position)
  writeVarint(out, turn.author)
}

function textBytesMax({ terms, keys, entries }: AnalysedText): number {
  const lists = terms.length * (HASH_BYTES + 1) + keys.length * (HASH_BYTES + 1 + VARINT_BYTES)
  return 4 * VARINT_BYTES + lists + entries.length * (2 * VARINT_BYTES + 1)
}

function writeText(out: Cursor, { length, terms, keys, entries }: AnalysedText): void {
  writeVarint(out, length)
  writeVarint(out, terms.length)
  for (const term of terms) {
    writeHash(out, term.hash)
    out.bytes[out.at++] = Math.min(term.frequency, FREQUENCY_MAX) | (term.isLowerCase ? FREQUENCY_MAX + 1 : 0)
  }
  writeVarint(out, keys.length)
  for (const key of keys) {
    writeHash(out, key.hash)
    out.bytes[out.at++] = keyByte(key)
    writeVarint(out, key.wordTerm)
  }
  writeVarint(out, entries.length)
  for (const entry of entries) {
    writeVarint(out, entry.key)
    writeVarint(out, entry.at)
    out.bytes[out.at++] = entry.kind | (entry.length << 4)
  }
}

/** An analysis in its stored form; equal analyses give equal bytes. */
export function encodeAnalysis(analysis: Analysis): Uint8Array {
  const { passages } = analysis
  const texts = [analysis, ...passages].reduce((sum, each) => sum + textBytesMax(each), 0)
  const out: Cursor = { bytes: new Uint8Array(2 + HASH_BYTES + 3 * VARINT_BYTES + texts), at: 0 }
  out.bytes[out.at++] = passages.length > 0 ? ANALYSIS_VERSION_WITH_PASSAGES : ANALYSIS_VERSION
  writeText(out, analysis)
  writeTurn(out, analysis.turn)
  if (passages.length > 0) {
    writeVarint(out, passages.length)
    for (const passage of passages) writeText(out, passage)
  }
  return out.bytes.slice(0, out.at)
}
