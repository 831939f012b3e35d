import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'

/** When a process refuses work early. */
export interface PressureLimits {
  /** Mean delay of the event loop over the last sample. */
  loopDelayMs: number
  /** How often pressure is measured. */
  sampleMs: number
  /** Requests at work or waiting below which nothing is refused: a delay that nobody queues behind is no overload. */
  crowd: number
  heapBytes: number
}

const HEAP_SHARE = 0.95

/** What a process with other people's requests waiting can afford. */
export const PRESSURE_LIMITS: PressureLimits = {
  loopDelayMs: 250,
  sampleMs: 1_000,
  crowd: 48,
  heapBytes: HEAP_SHARE * getHeapStatistics().heap_size_limit,
}

const RETRY_SECONDS = 1
/** How finely the delay is watched; an idle loop seems late by as much. */
const RESOLUTION_MS = 10
const NS_PER_MS = 1e6

/**
 * Refuses requests of the API, and of the pages that describe it, while the event loop lags behind a crowd or the heap
 * is full. Health is always shown. Nothing that is measured needs a descriptor, since none may be left.
 */
export function shedUnderPressure(server: FastifyInstance, limits: PressureLimits, countRequests: () => number): void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let isLate = false
  let isFull = false
  const sample = () => {
    isLate = delays.mean / NS_PER_MS - RESOLUTION_MS > limits.loopDelayMs
    delays.reset()
    isFull = getHeapStatistics().used_heap_size > limits.heapBytes
  }
  const timer = setInterval(sample, limits.sampleMs).unref()
  server.addHook('onClose', (_, done) => {
    clearInterval(timer)
    delays.disable()
    done()
  })
  server.addHook('onRequest', (request, _, done) => {
    const isPressed = isFull || (isLate && countRequests() >= limits.crowd)
    done(isPressed && isShed(request) ? new Fault('unavailable', { retryAfterSeconds: RETRY_SECONDS }) : undefined)
  })
}

/** What a machine asks to know whether the process lives is never refused. */
function isShed({ routeOptions: { url = '' } }: FastifyRequest): boolean {
  return /^\/(?:api\/|openapi\.json$|metrics$|docs)/.test(url)
}
