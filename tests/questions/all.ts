import { counts } from './counts.ts'
import { extremes, ranges } from './extremes.ts'
import { grouped } from './groups.ts'
import { lists } from './lists.ts'
import { refused } from './refused.ts'

/** Every question over the example workspace, its answer worked out from the files by plain loops. */
export const questions = [...counts, ...lists, ...grouped, ...extremes, ...ranges].map(([answer, ...wordings]) => ({
  answer,
  wordings,
}))

export { refused }

/** The day that relative dates are counted from. */
export const REFERENCE_DATE = '2026-07-31'
