import { randomFillSync } from 'node:crypto'
import { ID_PREFIXES, ID_TAIL, type Id, type IdKind } from '@cairnstore/contract'
import type { Clock } from './clock.ts'

export type { Id, IdKind }

const DIGITS = '0123456789abcdefghijklmnopqrstuv'
const BITS_PER_DIGIT = 5
const TIME_DIGITS = 11
const RANDOM_DIGITS = 15
/** Number of ordered ids per process and millisecond. After that, the next millisecond is used. */
const TICKS_PER_MS = 1024
const POOL_BYTES = 8192

const pool = Buffer.alloc(POOL_BYTES)
let poolUsed = POOL_BYTES
const lastTicks = new WeakMap<Clock, number>()

/** Creates an id. Ids of one process and clock sort by creation order. 75 bits are random. */
export function newId<K extends IdKind>(kind: K, clock: Clock): Id<K> {
  const tick = Math.max(clock.now().getTime() * TICKS_PER_MS, (lastTicks.get(clock) ?? 0) + 1)
  lastTicks.set(clock, tick)
  return `${ID_PREFIXES[kind]}_${timeDigits(tick)}${randomDigits()}`
}

export function isId<K extends IdKind>(kind: K, text: string): text is Id<K> {
  return SHAPES[kind].test(text)
}

const SHAPES = Object.fromEntries(
  Object.entries(ID_PREFIXES).map(([kind, prefix]) => [kind, new RegExp(`^${prefix}_${ID_TAIL}$`)]),
) as Record<IdKind, RegExp>

function timeDigits(tick: number): string {
  return tick.toString(1 << BITS_PER_DIGIT).padStart(TIME_DIGITS, '0')
}

function randomDigits(): string {
  if (poolUsed + RANDOM_DIGITS > POOL_BYTES) {
    randomFillSync(pool)
    poolUsed = 0
  }
  let digits = ''
  for (let i = 0; i < RANDOM_DIGITS; i++) digits += DIGITS[pool[poolUsed + i]! & (DIGITS.length - 1)]
  poolUsed += RANDOM_DIGITS
  return digits
}
