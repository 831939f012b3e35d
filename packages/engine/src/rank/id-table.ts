import { emptyLike, withCapacity } from './number-tables.ts'

/**
 * A hash table that maps ids to dense ordinals. It uses typed arrays, because a Map with strings needs ten times the
 * memory. An id that ends in 26 base-32 digits is stored packed and shares one prefix with the others; any other id is
 * stored as a string.
 */
export interface IdTable {
  /** Common prefix of the packed ids; undefined before the first one. */
  prefix: string | undefined
  /** Packed id of each ordinal in ID_WORDS words. The first is FREE if unused, or UNPACKED if `unpacked` has the id. */
  words: Uint16Array
  /** Ids that are not packed, by ordinal. */
  unpacked: Map<number, string>
  /** Number of ordinals ever assigned, including the free ones. */
  idLimit: number
  /** Slots of the hash table with linear probing: ordinal + 1, 0 if never used, or DELETED. */
  slots: Uint32Array
  /** Ordinals of removed ids. */
  free: number[]
  /** Number of slots that are not 0. */
  used: number
}

const SLOTS_MIN = 64
/** Load factor above which probing becomes slow. */
const LOAD_MAX = 0.7
const DELETED = 2 ** 32 - 1
/** Digits of an id, five bits each. Three digits fit in a 16-bit word. FREE and UNPACKED use the remaining bit. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv'
const DIGIT_CODES = Array.from(DIGITS, (digit) => digit.charCodeAt(0))
const DIGIT_BITS = 5
const DIGIT_MASK = 2 ** DIGIT_BITS - 1
const TAIL_DIGITS = 26
const DIGITS_PER_WORD = 3
/** Number of 16-bit words of a packed id. */
export const ID_WORDS = Math.ceil(TAIL_DIGITS / DIGITS_PER_WORD)
const [FREE, UNPACKED] = [0xffff, 0xfffe]
const NO_DIGIT = 255
const ASCII = 128
const VALUES = Uint8Array.from({ length: ASCII }, (_, code) => {
  const value = DIGITS.indexOf(String.fromCharCode(code))
  return value < 0 ? NO_DIGIT : value
})
/** Parameters of the 32-bit FNV-1a hash. */
const FNV_BASIS = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** Packed words of the id that was looked up last. */
const scratch = new Uint16Array(ID_WORDS)

export function createIdTable(): IdTable {
  const none = { prefix: undefined, words: new Uint16Array(ID_WORDS), unpacked: new Map(), idLimit: 0 }
  return { ...none, slots: new Uint32Array(SLOTS_MIN), free: [], used: 0 }
}

/** Packs an id into `scratch`. If it cannot be packed, `scratch[0]` is UNPACKED. */
function pack({ prefix }: IdTable, id: string): void {
  const tail = id.length - TAIL_DIGITS
  scratch[0] = UNPACKED
  if (tail < 0 || (prefix !== undefined && (prefix.length !== tail || !id.startsWith(prefix)))) return
  for (let word = ID_WORDS - 1; word >= 0; word -= 1) {
    const from = tail + word * DIGITS_PER_WORD
    let packed = 0
    for (let at = from; at < Math.min(from + DIGITS_PER_WORD, id.length); at += 1) {
      const digit = VALUES[id.charCodeAt(at)] ?? NO_DIGIT
      if (digit === NO_DIGIT) {
        scratch[0] = UNPACKED
        return
      }
      packed = (packed << DIGIT_BITS) | digit
    }
    scratch[word] = packed
  }
}

function hashOf(words: Uint16Array, at: number, id: string | undefined): number {
  let hash = FNV_BASIS
  if (id === undefined)
    for (let word = at; word < at + ID_WORDS; word += 1) hash = Math.imul(hash ^ words[word]!, FNV_PRIME)
  else for (let unit = 0; unit < id.length; unit += 1) hash = Math.imul(hash ^ id.charCodeAt(unit), FNV_PRIME)
  return hash ^ (hash >>> 15)
}

/** Returns true if the ordinal has the id. `scratch` has the packed id. */
function hasId({ words, unpacked }: IdTable, ordinal: number, id: string): boolean {
  if (scratch[0] === UNPACKED) return unpacked.get(ordinal) === id
  const from = ordinal * ID_WORDS
  for (let word = 0; word < ID_WORDS; word += 1) if (words[from + word] !== scratch[word]) return false
  return true
}

/** Returns the slot of an id, or -1. Leaves the packed id in `scratch`. */
function slotOf(table: IdTable, id: string): number {
  pack(table, id)
  const { slots } = table
  const mask = slots.length - 1
  for (let slot = hashOf(scratch, 0, scratch[0] === UNPACKED ? id : undefined) & mask; ; slot = (slot + 1) & mask) {
    const entry = slots[slot]!
    if (entry === 0) return -1
    if (entry !== DELETED && hasId(table, entry - 1, id)) return slot
  }
}

/** Returns the ordinal of an id, or undefined if it is not in the table. */
export function findOrdinal(table: IdTable, id: string): number | undefined {
  const slot = slotOf(table, id)
  return slot < 0 ? undefined : table.slots[slot]! - 1
}

/** Returns the id of an ordinal, or undefined if it has none. */
export function idAt({ words, unpacked, prefix, idLimit }: IdTable, ordinal: number): string | undefined {
  if (!(ordinal >= 0 && ordinal < idLimit) || words[ordinal * ID_WORDS] === FREE) return undefined
  if (words[ordinal * ID_WORDS] === UNPACKED) return unpacked.get(ordinal)
  const codes: number[] = []
  for (let word = 0; word < ID_WORDS; word += 1) {
    const digits = Math.min(DIGITS_PER_WORD, TAIL_DIGITS - word * DIGITS_PER_WORD)
    const packed = words[ordinal * ID_WORDS + word]!
    for (let below = digits - 1; below >= 0; below -= 1) {
      codes.push(DIGIT_CODES[(packed >>> (below * DIGIT_BITS)) & DIGIT_MASK]!)
    }
  }
  return prefix! + String.fromCharCode(...codes)
}

/** Compares the ids of two used ordinals in the order of the `<` operator on strings. */
export function compareIds(table: IdTable, one: number, other: number): number {
  const { words } = table
  const [from, otherFrom] = [one * ID_WORDS, other * ID_WORDS]
  if (words[from] === UNPACKED || words[otherFrom] === UNPACKED) {
    const [id, otherId] = [idAt(table, one) ?? '', idAt(table, other) ?? '']
    return id < otherId ? -1 : id > otherId ? 1 : 0
  }
  // The digits are in character order and the first digit of a word has its highest bits, so words compare like
  // strings.
  for (let word = 0; word < ID_WORDS; word += 1) {
    const difference = words[from + word]! - words[otherFrom + word]!
    if (difference !== 0) return difference
  }
  return 0
}

export function countIds({ idLimit, free }: IdTable): number {
  return idLimit - free.length
}

/** Returns the ordinal of an id. An unknown id gets the ordinal that was freed last, otherwise the next one. */
export function addId(table: IdTable, id: string): number {
  const known = findOrdinal(table, id)
  if (known !== undefined) return known
  const ordinal = table.free.pop() ?? table.idLimit++
  table.words = withCapacity(table.words, (ordinal + 1) * ID_WORDS)
  table.words.set(scratch, ordinal * ID_WORDS)
  if (scratch[0] === UNPACKED) table.unpacked.set(ordinal, id)
  else table.prefix ??= id.slice(0, -TAIL_DIGITS)
  if (table.used + 1 > table.slots.length * LOAD_MAX) rehash(table)
  else insert(table, ordinal)
  return ordinal
}

/** Removes an id. Returns the ordinal that it had. */
export function removeId(table: IdTable, id: string): number | undefined {
  const slot = slotOf(table, id)
  if (slot < 0) return undefined
  const ordinal = table.slots[slot]! - 1
  table.slots[slot] = DELETED
  table.words[ordinal * ID_WORDS] = FREE
  table.unpacked.delete(ordinal)
  table.free.push(ordinal)
  return ordinal
}

/** Returns the used ordinals, ascending. */
export function usedOrdinals({ words, idLimit }: IdTable): number[] {
  const ordinals: number[] = []
  for (let ordinal = 0; ordinal < idLimit; ordinal += 1) if (words[ordinal * ID_WORDS] !== FREE) ordinals.push(ordinal)
  return ordinals
}

export function idTableBytes({ words, slots }: IdTable): number {
  return words.byteLength + slots.byteLength
}

function insert(table: IdTable, ordinal: number): void {
  const { slots, words, unpacked } = table
  const mask = slots.length - 1
  let slot = hashOf(words, ordinal * ID_WORDS, unpacked.get(ordinal)) & mask
  while (slots[slot] !== 0 && slots[slot] !== DELETED) slot = (slot + 1) & mask
  if (slots[slot] === 0) table.used += 1
  slots[slot] = ordinal + 1
}

/** Rebuilds the slots. Doubles their number, unless at least half of the used slots belong to removed ids. */
function rehash(table: IdTable): void {
  const isFull = countIds(table) > (table.slots.length * LOAD_MAX) / 2
  table.slots = emptyLike(table.slots, isFull ? table.slots.length * 2 : table.slots.length)
  table.used = 0
  for (const ordinal of usedOrdinals(table)) insert(table, ordinal)
}
