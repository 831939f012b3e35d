/** Kinds of entries: declarations, the record's own entity, and kinds of mentions. The numbers are stored. */
export const ENTRY_KIND = { declared: 0, own: 1, span: 2, word: 3, identifier: 4, weak: 5, joined: 6 } as const
export type EntryKind = (typeof ENTRY_KIND)[keyof typeof ENTRY_KIND]

/** A term of a record with its frequency and whether it occurs in lower case. */
export interface AnalysedTerm {
  hash: number
  frequency: number
  isLowerCase: boolean
}

/** A name or identifier in a record, with the flags of its posting. */
export interface AnalysedKey {
  hash: number
  /** Number of mentions plus the weight of a declaration. */
  count: number
  /** True if the record writes it like a name. If enough records do, it is a name even without an entity. */
  isNameLike: boolean
  /** True if the record declares an entity with this key. */
  isDeclared: boolean
  /** True if another candidate overlaps one of its mentions, so overlaps must be resolved first. */
  isContested: boolean
  /** True if the record is the entity's own. */
  isOwn: boolean
  /** For a single word, 1 plus the index of its term in the record's terms; otherwise 0. */
  wordTerm: number
}

/** A mention of a key, with its position and length in words. A declaration has length 0 and its weight in `at`. */
export interface AnalysedEntry {
  key: number
  kind: EntryKind
  at: number
  length: number
}

/** Position of a record in a conversation. */
export interface AnalysedTurn {
  /** Hash of the thread, channel or other place; 0 for none. */
  conversation: number
  /** True if the place contains several conversations, so that only records close in time belong together. */
  isLoose: boolean
  /** True if it contains a question. */
  asks: boolean
  /** True if it ends with a question. */
  endsAsking: boolean
  /** Position among records with the same time. */
  position: number
  /** 1 plus the index of the author's key in the record's keys; 0 without an author. */
  author: number
}

/** Analysis of a text: of a whole record, or of one passage of a long one. */
export interface AnalysedText {
  /** Number of terms with repetitions, for length normalization. */
  length: number
  terms: AnalysedTerm[]
  keys: AnalysedKey[]
  entries: AnalysedEntry[]
}

interface Analysis extends AnalysedText {
  turn: AnalysedTurn
  /** Analyses of the passages after the first one. The outer object is the analysis of the first. */
  passages: AnalysedText[]
}

/** First byte of an analysis with passages. ANALYSIS_VERSION is that of one without. */
export const ANALYSIS_VERSION_WITH_PASSAGES = 3
export const ANALYSIS_VERSION = 2
/** First byte of older analyses without conversation data. The rest of the format is the same. */
export const ANALYSIS_VERSION_WITHOUT_TURN = 1

/** Maximum stored term frequency (7 bits). BM25 saturates far below it. */
export const FREQUENCY_MAX = 127
/** Maximum stored count of a key (4 bits). */
const COUNT_MAX = 15
/** Divisor that splits a hash into the low 32 bits and the bits above. */
const LOW_SPAN = 2 ** 32
const HASH_BYTES = 7
/** Maximum length of a 32-bit varint in bytes. */
const VARINT_BYTES = 5

/** Bits of the first byte of the conversation data. */
export const TURN_FLAG = { placed: 1, loose: 2, asks: 4, endsAsking: 8 } as const

/** Bits of a key's byte above its count. The low byte of a posting in the graph has the same layout. */
export const KEY_FLAG = { nameLike: 16, declared: 32, contested: 64, own: 128 } as const

/** A byte array with a position for reading and writing. */
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

/** Reads a varint of up to 32 bits. */
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

/** Encodes an analysis for storage. Equal analyses give equal bytes. */
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
