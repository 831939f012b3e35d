import { performance } from 'node:perf_hooks'
import { Refusal } from '../document.ts'

const LOOK_MS = 250
/** A thread that does so little while something is waited for waits for what never comes. */
const IDLE_MAX = 0.05
const IDLE_LOOKS_MAX = 8

/** What is promised, unless nothing works on it any more, which a broken file can bring the library to. */
export function orStalled<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let last = performance.eventLoopUtilization()
    let idle = 0
    const timer = setInterval(() => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      idle = utilization < IDLE_MAX ? idle + 1 : 0
      if (idle >= IDLE_LOOKS_MAX) reject(new Refusal('file_damaged'))
    }, LOOK_MS)
    work.then(resolve, reject).finally(() => clearInterval(timer))
  })
}
