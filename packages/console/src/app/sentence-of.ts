import { ApiError } from '@cairnstore/client'

const LINES_MAX = 3

/** What failed, in sentences for people, with what they may do. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) {
    const rules = error.errors.slice(0, LINES_MAX).map(({ loc, msg }) => `${loc.join('.')}: ${msg}.`)
    return [error.detail, ...rules].join(' ')
  }
  return error instanceof Error ? error.message : String(error)
}
