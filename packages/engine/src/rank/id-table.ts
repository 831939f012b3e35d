import { emptyLike, withRoom } from './number-tables.ts'

/**
 * The places of ids: tables over typed arrays, as a Map with the ids' own strings takes ten times as much. An id that
 * ends in 26 digits of base 32 is kept as those, under what the first of them begins with; any other as it is.
 */
export interface IdTable {
  /** What the ids that are packed begin with; undefined before the first of them. */
  prefix: string | undefined
  /** By place ID_WORDS digits of its id; the first one is FREE where there is none, ODD where it is in `odd`. */
  words: Uint16Array
  /** By place the ids that are not packed. */
  odd: Map<number, string>
  /** Places that were given out, with those that are free again. */
  reach: number
  /** Place + 1 where an id is probed, 0 where none was, DELETED where one was. */
  slots: Uint32Array
  /** Places of removed ids. */
  free: number[]
  /** Slots that are not 0. */
  used: number
}

const SLOTS_MIN = 64
/** More than this share of used slots makes probing slow. */
const LOAD_MAX = 0.7
const DELETED = 2 ** 32 - 1
/** Digits of an id, of five bits, three of which are a word; FREE and ODD have a bit more. */
const DIGITS = '0123456789abcdefghijklmnopqrstuv'
const DIGIT_CODES = Array.from(DIGITS, (digit) => digit.charCodeAt(0))
const DIGIT_BITS = 5
const DIGIT_MASK = 2 ** DIGIT_BITS - 1
const TAIL_DIGITS = 26
const DIGITS_PER_WORD = 3
/** Words of an id. */
export const ID_WORDS = Math.ceil(TAIL_DIGITS / DIGITS_PER_WORD)
const [FREE, ODD] = [0xffff, 0xfffe]
const NO_DIGIT = 255
const ASCII = 128
const VALUES = Uint8Array.from({ length: ASCII }, (_, code) => {
  const value = DIGITS.indexOf(String.fromCharCode(code))
  return value < 0 ? NO_DIGIT : value
})
/** FNV-1a. */
const FNV_BASIS = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** The words of the id that was looked at last. */
const scratch = new Uint16Array(ID_WORDS)

export function createIdTable(): IdTable {
  const none = { prefix: undefined, words: new Uint16Array(ID_WORDS), odd: new Map(), reach: 0 }
  return { ...none, slots: new Uint32Array(SLOTS_MIN), free: [], used: 0 }
}

/** Puts the words of an id into `scratch`; of one that is not packed ODD alone. */
function pack({ prefix }: IdTable, id: string): void {
  const tail = id.length - TAIL_DIGITS
  scratch[0] = ODD
  if (tail < 0 || (prefix !== undefined && (prefix.length !== tail || !id.startsWith(prefix)))) return
  for (let word = ID_WORDS - 1; word >= 0; word -= 1) {
    const from = tail + word * DIGITS_PER_WORD
    let packed = 0
    for (let at = from; at < Math.min(from + DIGITS_PER_WORD, id.length); at += 1) {
      const digit = VALUES[id.charCodeAt(at)] ?? NO_DIGIT
      if (digit === NO_DIGIT) {
        scratch[0] = ODD
        return
      }
      packed = (packed << DIGIT_BITS) | digit
    }
    scratch[word] = packed
  }
}

function hashOf(words: Uint16Array, at: number, odd: string | undefined): number {
  let hash = FNV_BASIS
  if (odd === undefined)
    for (let word = at; word < at + ID_WORDS; word += 1) hash = Math.imul(hash ^ words[word]!, FNV_PRIME)
  else for (let unit = 0; unit < odd.length; unit += 1) hash = Math.imul(hash ^ odd.charCodeAt(unit), FNV_PRIME)
  return hash ^ (hash >>> 15)
}

/** Whether the id at a place is the one in `scratch`, or, where that is not packed, this. */
function isAt({ words, odd }: IdTable, place: number, id: string): boolean {
  if (scratch[0] === ODD) return odd.get(place) === id
  const from = place * ID_WORDS
  for (let word = 0; word < ID_WORDS; word += 1) if (words[from + word] !== scratch[word]) return false
  return true
}

/** The slot of an id, or -1; its words are in `scratch`. */
function slotOf(table: IdTable, id: string): number {
  pack(table, id)
  const { slots } = table
  const mask = slots.length - 1
  for (let slot = hashOf(scratch, 0, scratch[0] === ODD ? id : undefined) & mask; ; slot = (slot + 1) & mask) {
    const held = slots[slot]!
    if (held === 0) return -1
    if (held !== DELETED && isAt(table, held - 1, id)) return slot
  }
}

/** The place of an id; undefined for one that is not there. */
export function placeOfId(table: IdTable, id: string): number | undefined {
  const slot = slotOf(table, id)
  return slot < 0 ? undefined : table.slots[slot]! - 1
}

/** The id at a place; undefined where there is none. */
export function idAt({ words, odd, prefix, reach }: IdTable, place: number): string | undefined {
  if (!(place >= 0 && place < reach) || words[place * ID_WORDS] === FREE) return undefined
  if (words[place * ID_WORDS] === ODD) return odd.get(place)
  const codes: number[] = []
  for (let word = 0; word < ID_WORDS; word += 1) {
    const digits = Math.min(DIGITS_PER_WORD, TAIL_DIGITS - word * DIGITS_PER_WORD)
    const packed = words[place * ID_WORDS + word]!
    for (let below = digits - 1; below >= 0; below -= 1) {
      codes.push(DIGIT_CODES[(packed >>> (below * DIGIT_BITS)) & DIGIT_MASK]!)
    }
  }
  return prefix! + String.fromCharCode(...codes)
}

/** The order of the ids at two places that are taken, as `<` has it. */
export function compareIds(table: IdTable, one: number, other: number): number {
  const { words } = table
  const [from, otherFrom] = [one * ID_WORDS, other * ID_WORDS]
  if (words[from] === ODD || words[otherFrom] === ODD) {
    const [id, otherId] = [idAt(table, one) ?? '', idAt(table, other) ?? '']
    return id < otherId ? -1 : id > otherId ? 1 : 0
  }
  // The digits are in the order of their characters, and a word holds the first of them highest.
  for (let word = 0; word < ID_WORDS; word += 1) {
    const difference = words[from + word]! - words[otherFrom + word]!
    if (difference !== 0) return difference
  }
  return 0
}

/** How many ids are there. */
export function countIds({ reach, free }: IdTable): number {
  return reach - free.length
}

/** The place of an id, given now when it has none: the last that became free, else the next. */
export function addId(table: IdTable, id: string): number {
  const known = placeOfId(table, id)
  if (known !== undefined) return known
  const place = table.free.pop() ?? table.reach++
  table.words = withRoom(table.words, (place + 1) * ID_WORDS)
  table.words.set(scratch, place * ID_WORDS)
  if (scratch[0] === ODD) table.odd.set(place, id)
  else table.prefix ??= id.slice(0, -TAIL_DIGITS)
  if (table.used + 1 > table.slots.length * LOAD_MAX) rehash(table)
  else insert(table, place)
  return place
}

/** Takes an id out; answers the place that it had. */
export function removeId(table: IdTable, id: string): number | undefined {
  const slot = slotOf(table, id)
  if (slot < 0) return undefined
  const place = table.slots[slot]! - 1
  table.slots[slot] = DELETED
  table.words[place * ID_WORDS] = FREE
  table.odd.delete(place)
  table.free.push(place)
  return place
}

/** The places that are taken, in their order. */
export function placesTaken({ words, reach }: IdTable): number[] {
  const places: number[] = []
  for (let place = 0; place < reach; place += 1) if (words[place * ID_WORDS] !== FREE) places.push(place)
  return places
}

/** Bytes that the tables take. */
export function idTableBytes({ words, slots }: IdTable): number {
  return words.byteLength + slots.byteLength
}

function insert(table: IdTable, place: number): void {
  const { slots, words, odd } = table
  const mask = slots.length - 1
  let slot = hashOf(words, place * ID_WORDS, odd.get(place)) & mask
  while (slots[slot] !== 0 && slots[slot] !== DELETED) slot = (slot + 1) & mask
  if (slots[slot] === 0) table.used += 1
  slots[slot] = place + 1
}

/** Twice the slots, or as many where most of those used are of ids that are gone. */
function rehash(table: IdTable): void {
  const isFull = countIds(table) > (table.slots.length * LOAD_MAX) / 2
  table.slots = emptyLike(table.slots, isFull ? table.slots.length * 2 : table.slots.length)
  table.used = 0
  for (const place of placesTaken(table)) insert(table, place)
}
