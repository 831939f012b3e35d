import { ApiError } from '@cairnstore/client'
import { fromApi } from '../language/language.ts'
import { labelOf } from '../parts/words.ts'

const LINES_MAX = 3

/** Returns an error message for users: what failed and what they can do. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiError)) return fromApi(error instanceof Error ? error.message : String(error))
  const { code, reason, detail, errors } = error
  const rules = errors.slice(0, LINES_MAX).map(({ loc, msg }) => {
    return `${labelOf(String(loc.at(-1) ?? ''))}: ${msg.replace(/\.$/, '')}.`
  })
  // The general message only says that there are errors, so it is left out if the errors are listed.
  const isGeneral = code === 'validation_error' && reason === undefined && rules.length > 0
  return [...(isGeneral ? [] : [fromApi(detail)]), ...rules].join(' ')
}
