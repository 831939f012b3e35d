import { getHeapStatistics } from 'node:v8'
import { Fault } from '../base/fault.ts'
import type { GiveBack, Turns } from './turns.ts'

/** Bytes of bodies that may be in memory at once. */
interface BudgetLimits {
  bytes: number
  /** The limit for one holder: an account, or the address of an unknown sender. */
  bytesOfHolder: number
}

/** What of bodies is in memory, counted before it is read. */
export interface BodyBudget {
  /**
   * Counts so many bytes to a holder. Throws `rate_limited` when the holder's own others leave it too little, and
   * `unavailable` when those of all do.
   */
  hold(holder: string, bytes: number): Held
}

/** Bytes that are counted until they are let go. */
export interface Held {
  /** Counts as many as these, more or fewer than before; throws as `hold` does, and then nothing changes. */
  resize(bytes: number): void
  /** Counts nothing any more; only the first call matters. */
  release(): void
}

/** What may be in memory of what: by the length that a body has, and by whether its sender is known. */
export interface BodyBudgets {
  large: BodyBudget
  small: BodyBudget
  /** Bodies that must be read to know who sent them. */
  unknown: BodyBudget
}

const MIB = 2 ** 20
/** The largest body fits whatever the heap is. */
const LARGEST_BYTES = 16 * MIB
/** From here a body is large: a question never is, and a batch of records is. */
export const LARGE_BYTES = 64 * 1024
/** A body, the text that it is and what is made of both are in memory at once, four times as much as is counted. */
const LARGE_HEAP_SHARE = 1 / 8
const LARGE_BYTES_MAX = 256 * MIB
const SMALL_HEAP_SHARE = 1 / 32
const SMALL_BYTES_MAX = 64 * MIB
const UNKNOWN_HEAP_SHARE = 1 / 32
const UNKNOWN_BYTES_MAX = 32 * MIB
/** How many holders can use up the whole between them. */
const HOLDERS = 4
const RETRY_SECONDS = 1

/** The budgets that suit a heap of so many bytes. */
export function openBodyBudgets(heapBytes = getHeapStatistics().heap_size_limit): BodyBudgets {
  const open = (share: number, bytesMax: number, least: number) => {
    const bytes = Math.max(least, Math.min(bytesMax, Math.floor(heapBytes * share)))
    return openBodyBudget({ bytes, bytesOfHolder: Math.max(least, bytes / HOLDERS) })
  }
  return {
    large: open(LARGE_HEAP_SHARE, LARGE_BYTES_MAX, LARGEST_BYTES),
    small: open(SMALL_HEAP_SHARE, SMALL_BYTES_MAX, MIB),
    unknown: open(UNKNOWN_HEAP_SHARE, UNKNOWN_BYTES_MAX, 2 * MIB),
  }
}

/** Counts bodies within these limits. */
export function openBodyBudget(limits: BudgetLimits): BodyBudget {
  const held = new Map<string, number>()
  let all = 0
  const take = (holder: string, bytes: number) => {
    const own = (held.get(holder) ?? 0) + bytes
    if (bytes > 0 && own > limits.bytesOfHolder) throw overBudget('rate_limited')
    if (bytes > 0 && all + bytes > limits.bytes) throw overBudget('unavailable')
    all += bytes
    if (own === 0) held.delete(holder)
    else held.set(holder, own)
  }
  return {
    hold: (holder, bytes) => {
      let counted = 0
      let isOver = false
      const resize = (wanted: number) => {
        if (isOver) return
        take(holder, wanted - counted)
        counted = wanted
      }
      resize(bytes)
      return {
        resize,
        release: () => {
          resize(0)
          isOver = true
        },
      }
    },
  }
}

function overBudget(name: 'rate_limited' | 'unavailable'): Fault {
  return new Fault(name, {
    detail:
      'Too much is being sent at once. Send fewer or smaller bodies together, and this one again after Retry-After.',
    retryAfterSeconds: RETRY_SECONDS,
  })
}

/** What all request bodies share. */
export interface BodyRoom {
  readonly budgets: BodyBudgets
  /** Turns in which bodies of which much is made are parsed and worked on. */
  readonly parsing: Turns
}

/** From here a body is parsed in turn: what is made of it takes several times its length. */
const PARSED_IN_TURN_BYTES = 1024 * 1024

/** The memory that one request's body holds, from before it is read until the request is answered. */
export class BodyClaim {
  readonly #room: BodyRoom
  readonly #holder: string
  #held: Held | undefined
  #giveBack: GiveBack | undefined

  /** `holder` is the account that sends, or the address where none is known. */
  constructor(room: BodyRoom, holder: string) {
    this.#room = room
    this.#holder = holder
  }

  /** Counts a body of this length, or none yet of one that does not say it. Throws as `BodyBudget.hold` does. */
  hold(bytes: number | undefined, holder = this.#holder): Held {
    const { large, small } = this.#room.budgets
    return this.#hold(bytes !== undefined && bytes <= LARGE_BYTES ? small : large, holder, bytes)
  }

  /** Counts a body that is read to find out who sent it. */
  holdUnknown(bytes: number | undefined): Held {
    return this.#hold(this.#room.budgets.unknown, this.#holder, bytes)
  }

  /** Parses the bytes; large bodies take turns. Throws as a turn does. */
  async parse<T>(bytes: Buffer, gone: () => AbortSignal, parse: (bytes: Buffer) => T): Promise<T> {
    if (bytes.length > PARSED_IN_TURN_BYTES) this.#giveBack = await this.#room.parsing.take(this.#holder, gone)
    return parse(bytes)
  }

  /** Nothing more is made of the body: others may be parsed. */
  rest(): void {
    this.#giveBack?.()
  }

  /** Nothing of the body is in memory any more. */
  release(): void {
    this.rest()
    this.#held?.release()
  }

  #hold(budget: BodyBudget, holder: string, bytes = 0): Held {
    this.#held = budget.hold(holder, bytes)
    return this.#held
  }
}
