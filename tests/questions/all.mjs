import { counts } from './counts.mjs'
import { extremes, ranges } from './extremes.mjs'
import { grouped } from './groups.mjs'
import { lists } from './lists.mjs'
import { refused } from './refused.mjs'

/** Every question over the example workspace, its answer worked out from the files by plain loops. */
export const questions = [...counts, ...lists, ...grouped, ...extremes, ...ranges].map(([answer, ...wordings]) => ({
  answer,
  wordings,
}))

export { refused }

/** The day that relative dates are counted from. */
export const REFERENCE_DATE = '2026-07-31'
