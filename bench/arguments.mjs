// Parses the command line of benchmarks on question sets: a folder, names, and options.
import { parseArgs } from 'node:util'
import { findSets } from './sets.mjs'

const HALVES = /** @type {const} */ (['all', 'development', 'other'])

/**
 * Parses the command line. Prints the usage and exits if it is invalid.
 * @param {string} usage
 */
export function readArguments(usage) {
  const fail = () => {
    console.error(usage)
    process.exit(1)
  }
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        sets: { type: 'string' },
        half: { type: 'string', default: 'all' },
        'in-process': { type: 'boolean', default: false },
        without: { type: 'string' },
        records: { type: 'string' },
        questions: { type: 'string' },
        scores: { type: 'string' },
      },
    })
    const [folder, ...names] = positionals
    const half = HALVES.find((each) => each === values.half)
    if (!folder || !half) return fail()
    const wanted = values.sets?.split(',').filter(Boolean) ?? []
    const sets = findSets(folder, wanted)
    const without = values.without?.split(',').filter(Boolean)
    const [recordsMax, questionsMax] = [values.records, values.questions].map((count = 'Infinity') => Number(count))
    if (!(recordsMax > 0) || !(questionsMax > 0)) return fail()
    const limits = { recordsMax, questionsMax, scoresFile: values.scores }
    return { folder, names, half, sets, without, ...limits, isInProcess: values['in-process'], fail }
  } catch {
    return fail()
  }
}
