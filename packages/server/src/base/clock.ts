/** Where the time comes from. Everything that needs it gets a clock; nothing else asks the machine. */
export interface Clock {
  now(): Date
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() }
