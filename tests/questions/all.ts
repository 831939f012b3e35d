import { counts } from './counts.ts'
import { extremes, ranges } from './extremes.ts'
import { grouped } from './groups.ts'
import { lists } from './lists.ts'
import { refused } from './refused.ts'

/** Questions about the example workspace. The expected answers are computed from its files by plain loops. */
export const questions = [...counts, ...lists, ...grouped, ...extremes, ...ranges].map(([answer, ...wordings]) => ({
  answer,
  wordings,
}))

export { refused }

/** Reference date for relative dates. */
export const REFERENCE_DATE = '2026-07-31'
