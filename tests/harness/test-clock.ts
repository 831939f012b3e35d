import type { Clock } from '../../packages/server/src/base/clock.ts'

/** A clock that advances only when a test moves it. */
export class TestClock implements Clock {
  #at: number

  constructor(at = '2026-07-31T12:00:00Z') {
    this.#at = Date.parse(at)
  }

  now(): Date {
    return new Date(this.#at)
  }

  advance(ms: number): void {
    this.#at += ms
  }
}
