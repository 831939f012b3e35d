import { ROWS } from '../../lexicon/asked.ts'
import { anyOf } from '../../lexicon/entries.ts'
import { type Condition, type Plan, tokensOf, type View } from '../plan.ts'
import { question } from './grammar.ts'
import { columnAt, isOfProgress, type PartialParse, PHASE_COLUMN } from './partial-parse.ts'
import { planBySlots } from './slots.ts'

/** The last question that was parsed, with its plans. */
interface PreviousQuestion {
  plans: Plan[]
  text: string
}

/** Maximum number of earlier questions that are considered. */
const EARLIER_MAX = 6
/** Maximum number of words of a question that changes a part of the previous one: "and for Priya in July?" */
const FRAGMENT_WORDS_MAX = 6
/** Maximum number of words in the part that is replaced. */
const REPLACED_WORDS_MAX = 5
/** Maximum number of words of a question whose parts are replaced. */
const QUESTION_WORDS_MAX = 20

const ENDING = /[?.!\s]+$/
const THOSE = anyOf(ROWS.those)
const ONES = anyOf(ROWS.ones)
const REFERS = new RegExp(`\\b(?:${THOSE}|${ONES})\\b`, 'i')
const OPENS = new RegExp(`^\\W*(?:${anyOf(ROWS.talkOpenings)}\\b[\\s,]*)+`, 'i')
const IS_OTHER = new RegExp(`\\b${ONES}\\b`, 'i')
const BEFORE_NOUN = new RegExp(`\\b${anyOf(ROWS.beforeNoun)}\\s+`, 'i')
const ASKS_PREFIX = { count: 'how many', rows: 'list the' } as const

/**
 * Returns all plans for a question in a conversation. Earlier questions (oldest first) resolve "those" and fragments
 * such as "and in July?". Returns none if the query parser does not accept it. The function is pure.
 */
export function planInConversation(
  views: readonly View[],
  query: string,
  earlier: readonly string[],
  referenceDate: string,
): Plan[] {
  const ask = (text: string): Plan[] => parseQuery(views, text, referenceDate)
  let before: PreviousQuestion | undefined
  for (const text of earlier.slice(-EARLIER_MAX)) before = understand(text, before, views, ask) ?? before
  return understand(query, before, views, ask)?.plans ?? []
}

function understand(
  text: string,
  before: PreviousQuestion | undefined,
  views: readonly View[],
  ask: (text: string) => Plan[],
): PreviousQuestion | undefined {
  const refersBack = REFERS.test(text) || OPENS.test(text)
  const alone = before && refersBack ? [] : ask(text)
  if (alone.length > 0 || !before) return alone.length > 0 ? { plans: alone, text } : undefined
  const narrowed = REFERS.test(text) ? narrowPrevious(text, before, views, ask) : undefined
  const changed = narrowed ?? replacePart(text, before, ask)
  if (changed) return changed
  const plans = ask(text)
  return plans.length > 0 ? { plans, text } : undefined
}

/** Handles "how many of those are open?": the same rows with a new condition. */
function narrowPrevious(
  text: string,
  { plans: [plan, ...others], text: asked }: PreviousQuestion,
  views: readonly View[],
  ask: (text: string) => Plan[],
): PreviousQuestion | undefined {
  const view = views.find(({ type }) => type === plan?.type)
  if (!plan || !view || others.length > 0 || !isOfRows(plan)) return undefined
  const noun = (view.nouns[1] ?? view.nouns[0] ?? []).join(' ')
  for (const wording of wordings(text.replace(OPENS, ''), noun, plan)) {
    const found = ask(wording).filter(({ type }) => type === plan.type)
    if (found.length === 0) continue
    // "the open ones" replaces the earlier condition "closed"; "of those" adds a condition.
    const isOther = IS_OTHER.test(text)
    return {
      plans: found.map((each) => ({ ...each, where: mergeConditions(view, plan.where, isOther, each.where) })),
      text: asked,
    }
  }
  return undefined
}

function isOfRows({ asks }: Plan): boolean {
  return asks === 'count' || asks === 'rows' || asks === 'groups'
}

/** Returns possible wordings of a question with "those" replaced by the noun. */
function wordings(text: string, noun: string, plan: Plan): string[] {
  const whole = text
    .replace(new RegExp(`\\b${anyOf(ROWS.among)} ${THOSE}(?: ${noun})?\\b`, 'i'), `${noun}`)
    .replace(new RegExp(`\\b${anyOf(ROWS.theThose)} (${noun}|ones)\\b`, 'i'), `the ${noun}`)
    .replace(new RegExp(`\\b${THOSE}\\b`, 'i'), `the ${noun}`)
    .replace(IS_OTHER, noun)
  const bare = whole.replace(BEFORE_NOUN, '')
  const asks = plan.asks === 'count' ? ASKS_PREFIX.count : ASKS_PREFIX.rows
  return [whole, bare, `${asks} ${bare}`]
}

function mergeConditions(
  view: View,
  before: readonly Condition[],
  isOther: boolean,
  now: readonly Condition[],
): Condition[] {
  const columnOf = ({ column }: Condition) => (isOfProgress(view, column) ? PHASE_COLUMN : column)
  const previous = before.filter((each) => !isOther || !now.some((other) => columnOf(other) === columnOf(each)))
  const all = [...previous, ...now].map((each) => JSON.stringify(each))
  return [...new Set(all)].sort().map((each) => JSON.parse(each) as Condition)
}

/** Handles "and in July?": replaces the part of the previous question that has the same kind. */
function replacePart(
  text: string,
  { plans: [plan, ...others], text: asked }: PreviousQuestion,
  ask: (text: string) => Plan[],
) {
  const fragment = text.replace(OPENS, '').replace(ENDING, '')
  const [words, tokens] = [tokensOf(fragment), tokensOf(asked)]
  if (!plan || others.length > 0 || words.length === 0) return undefined
  if (words.length > FRAGMENT_WORDS_MAX || tokens.length > QUESTION_WORDS_MAX) return undefined
  const found = new Map<string, PreviousQuestion>()
  for (let from = 0; from < tokens.length; from += 1) {
    for (let to = from; to < Math.min(tokens.length, from + REPLACED_WORDS_MAX); to += 1) {
      const wording = `${asked.slice(0, tokens[from]!.from)}${fragment}${asked.slice(tokens[to]!.to)}`
      for (const each of ask(wording)) {
        if (differInOneCondition(plan, each)) found.set(JSON.stringify(each), { plans: [each], text: wording })
      }
    }
  }
  return found.size === 1 ? [...found.values()][0] : undefined
}

/** Returns true if two plans differ in the value of one condition only. */
function differInOneCondition(one: Plan, other: Plan): boolean {
  const [{ where: before, ...asked }, { where: now, ...asks }] = [one, other]
  if (JSON.stringify(asked) !== JSON.stringify(asks) || before.length !== now.length) return false
  const [left, right] = [only(before, now), only(now, before)]
  return left.length === 1 && right.length === 1 && left[0]!.column === right[0]!.column && left[0]!.is === right[0]!.is
}

function only(some: readonly Condition[], others: readonly Condition[]): Condition[] {
  const known = new Set(others.map((each) => JSON.stringify(each)))
  return some.filter((each) => !known.has(JSON.stringify(each)))
}

/** Maximum number of words. A longer question has several parts. */
const TOKENS_MAX = 40
const CONTRACTED_NOT = /n['’]t\b/g
/** Polite openings. */
const POLITE = new RegExp(`^(?:${anyOf(ROWS.polite)}|,|\\s)+(?=\\w)`, 'i')

/**
 * Returns all plans for an English question over the views. A plan must explain every word. Returns none if the parser
 * does not accept the question, and several if the question is ambiguous. The function is pure.
 */
function parseQuery(views: readonly View[], query: string, referenceDate: string): Plan[] {
  const text = query.trim().replace(POLITE, '').replace(ENDING, '').replace(CONTRACTED_NOT, ' not')
  const tokens = tokensOf(text)
  if (tokens.length === 0 || tokens.length > TOKENS_MAX) return []
  const contexts = views.map((view) => ({ view, text, tokens, referenceDate, memo: new Map<string, unknown>() }))
  const plans = contexts.flatMap((asking) =>
    question(asking, { at: 0, where: [] })
      .filter(({ at }) => at === tokens.length)
      .flatMap((reading) => toPlan(asking.view, reading) ?? []),
  )
  const distinct = [...new Map(plans.map((plan) => [JSON.stringify(plan), plan])).values()]
  if (distinct.length > 0) return distinct
  // Words in any order are less certain evidence, so an ambiguous question is not computed.
  const bySlots = contexts.flatMap(planBySlots)
  return bySlots.length === 1 ? bySlots : []
}

function toPlan(view: View, reading: PartialParse): Plan | undefined {
  const { asks, group, best, column, extreme, timeExtreme, act } = reading
  const distinct = [...new Map(reading.where.map((each) => [JSON.stringify(each), each])).entries()]
  const where = distinct.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
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
  if (asks === 'sum' || asks === 'average' || asks === 'value') {
    return column === undefined || group ? undefined : { ...base, asks, column }
  }
  if (group) return asks === 'count' ? { ...base, asks: 'groups', group } : undefined
  return asks === 'count' || asks === 'rows' ? { ...base, asks } : undefined
}
