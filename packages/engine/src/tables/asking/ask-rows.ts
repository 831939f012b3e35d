import { anyOf } from '../../lexicon/entries.ts'
import { ROWS } from '../../lexicon/rows.ts'
import type { Plan, View } from '../plan.ts'
import { tokensOf } from '../words.ts'
import { question } from './frames.ts'
import type { Reading } from './reading.ts'
import { columnAt } from './verbs.ts'

/** A question of more words asks for more than one thing. */
const TOKENS_MAX = 40
/** Openings that are only polite. */
const POLITE = new RegExp(`^(?:${anyOf(ROWS.polite)}|,|\\s)+(?=\\w)`, 'i')

/**
 * Every way to read an English question as a plan over the views, none of whose words is left over. Pure. Empty when
 * the rows cannot answer it; several plans mean that it says more than one thing.
 */
export function askRows(views: readonly View[], query: string, referenceDate: string): Plan[] {
  const text = query
    .trim()
    .replace(POLITE, '')
    .replace(/[?.!\s]+$/, '')
  const tokens = tokensOf(text)
  if (tokens.length === 0 || tokens.length > TOKENS_MAX) return []
  const plans = views.flatMap((view) => {
    const asking = { view, text, tokens, referenceDate, memo: new Map<string, unknown>() }
    return question(asking, { at: 0, where: [] })
      .filter(({ at }) => at === tokens.length)
      .flatMap((reading) => toPlan(view, reading) ?? [])
  })
  return [...new Map(plans.map((plan) => [JSON.stringify(plan), plan])).values()]
}

function toPlan(view: View, reading: Reading): Plan | undefined {
  const { asks, group, best, column, extreme, timeExtreme, act } = reading
  const told = [...new Map(reading.where.map((each) => [JSON.stringify(each), each])).entries()]
  const where = told.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
  const base = { type: view.type, where }
  if (timeExtreme) {
    const time = act ? act.time : columnAt(view, 'occurred_at')
    if (group || best || time === undefined || time < 0) return undefined
    return { ...base, asks: 'extreme', column: time, isLeast: timeExtreme.isLeast }
  }
  if (extreme) return group ? undefined : { ...base, asks: 'extreme', ...extreme }
  if (best) {
    if (!group) return undefined
    return { ...base, asks: 'best', group, isLeast: best.isLeast, ...(column !== undefined && { sum: column }) }
  }
  if (asks === 'sum' || asks === 'average') return column === undefined || group ? undefined : { ...base, asks, column }
  if (group) return asks === 'count' ? { ...base, asks: 'groups', group } : undefined
  return asks === 'count' || asks === 'rows' ? { ...base, asks } : undefined
}
