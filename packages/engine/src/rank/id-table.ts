/** The places of ids: a table over typed arrays beside the ids themselves, as a Map takes five times as much. */
export interface IdTable {
  /** The id of each place; empty where it is free. */
  ids: string[]
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
/** FNV-1a. */
const FNV_BASIS = 0x811c9dc5
const FNV_PRIME = 0x01000193

export function createIdTable(): IdTable {
  return { ids: [], slots: new Uint32Array(SLOTS_MIN), free: [], used: 0 }
}

function homeOf(id: string, mask: number): number {
  let hash = FNV_BASIS
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), FNV_PRIME)
  return (hash ^ (hash >>> 15)) & mask
}

/** The slot of an id, or -1. */
function slotOf({ ids, slots }: IdTable, id: string): number {
  const mask = slots.length - 1
  for (let slot = homeOf(id, mask); ; slot = (slot + 1) & mask) {
    const held = slots[slot]!
    if (held === 0) return -1
    if (held !== DELETED && ids[held - 1] === id) return slot
  }
}

/** The place of an id; undefined for one that is not there. */
export function placeOfId(table: IdTable, id: string): number | undefined {
  const slot = slotOf(table, id)
  return slot < 0 ? undefined : table.slots[slot]! - 1
}

/** How many ids are there. */
export function countIds({ ids, free }: IdTable): number {
  return ids.length - free.length
}

/** The place of an id, given now when it has none: the last that became free, else the next. */
export function addId(table: IdTable, id: string): number {
  const known = placeOfId(table, id)
  if (known !== undefined) return known
  if (table.used + 1 > table.slots.length * LOAD_MAX) rehash(table)
  const place = table.free.pop() ?? table.ids.length
  table.ids[place] = id
  insert(table, id, place)
  return place
}

/** Takes an id out; answers the place that it had. */
export function removeId(table: IdTable, id: string): number | undefined {
  const slot = slotOf(table, id)
  if (slot < 0) return undefined
  const place = table.slots[slot]! - 1
  table.slots[slot] = DELETED
  table.ids[place] = ''
  table.free.push(place)
  return place
}

/** The places that are taken, in their order. */
export function placesTaken({ ids }: IdTable): number[] {
  return ids.flatMap((id, place) => (id === '' ? [] : [place]))
}

function insert(table: IdTable, id: string, place: number): void {
  const { slots } = table
  const mask = slots.length - 1
  let slot = homeOf(id, mask)
  while (slots[slot] !== 0 && slots[slot] !== DELETED) slot = (slot + 1) & mask
  if (slots[slot] === 0) table.used += 1
  slots[slot] = place + 1
}

/** Twice the slots, or as many where most of those used are of ids that are gone. */
function rehash(table: IdTable): void {
  const isFull = countIds(table) + 1 > (table.slots.length * LOAD_MAX) / 2
  table.slots = new Uint32Array(isFull ? table.slots.length * 2 : table.slots.length)
  table.used = 0
  for (const place of placesTaken(table)) insert(table, table.ids[place]!, place)
}
