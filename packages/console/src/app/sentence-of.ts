import { ApiError } from '@cairnstore/client'

const LINES_MAX = 3

/** Returns an error message for people: what failed, and what they can do. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) {
    const rules = error.errors.slice(0, LINES_MAX).map(({ loc, msg }) => `${loc.join('.')}: ${msg.replace(/\.$/, '')}.`)
    return [error.detail, ...rules].join(' ')
  }
  return error instanceof Error ? error.message : String(error)
}
