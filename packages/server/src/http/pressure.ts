import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
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

/** Refuses requests of the API while the event loop lags behind a crowd or the heap is full. Health is always shown. */
export async function shedUnderPressure(
  server: FastifyInstance,
  limits: PressureLimits,
  countRequests: () => number,
): Promise<void> {
  await server.register(underPressure, {
    maxEventLoopDelay: limits.loopDelayMs,
    maxHeapUsedBytes: limits.heapBytes,
    sampleInterval: limits.sampleMs,
    pressureHandler: (request, _reply, type) => {
      const isCrowded = type !== underPressure.TYPE_EVENT_LOOP_DELAY || countRequests() >= limits.crowd
      if (!isCrowded || !isApi(request)) return undefined
      return Promise.reject(new Fault('unavailable', { retryAfterSeconds: RETRY_SECONDS }))
    },
  })
}

function isApi(request: FastifyRequest): boolean {
  return request.routeOptions.url?.startsWith('/api/') === true
}
