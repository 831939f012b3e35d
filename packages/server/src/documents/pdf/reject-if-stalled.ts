import { performance } from 'node:perf_hooks'
import { Refusal } from '../document.ts'

const CHECK_MS = 250
/** Maximum utilization of the event loop in an idle thread. */
const IDLE_MAX = 0.05
const IDLE_CHECKS_MAX = 8

/** Waits for work. Rejects with `file_damaged` when the thread is idle: for a broken file the library may hang. */
export function rejectIfStalled<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let last = performance.eventLoopUtilization()
    let idle = 0
    const timer = setInterval(() => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      idle = utilization < IDLE_MAX ? idle + 1 : 0
      if (idle >= IDLE_CHECKS_MAX) reject(new Refusal('file_damaged'))
    }, CHECK_MS)
    work.then(resolve, reject).finally(() => clearInterval(timer))
  })
}
