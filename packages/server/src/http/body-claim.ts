import { type BodyBudget, type BodyBudgets, type Held, LARGE_BYTES } from './body-budget.ts'
import type { GiveBack, Turns } from './turns.ts'

/** What bodies share. */
export interface BodyRoom {
  readonly budgets: BodyBudgets
  /** Turns in which bodies of which much is made are parsed and worked on. */
  readonly parsing: Turns
}

/** From here a body is parsed in turn: what is made of it takes several times its length. */
const PARSED_IN_TURN_BYTES = 1024 * 1024

/** What one request's body takes of the memory for bodies, from before it is read until the request is answered. */
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

  /** What `parse` makes of the bytes, in turn where that is much. Throws as a turn does. */
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
