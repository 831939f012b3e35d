import { type Problem, RecordInput } from '@cairnstore/contract'
import { checkFirst } from '../base/check.ts'
import { instantOf } from '../base/clock.ts'

const check = checkFirst(RecordInput, [])

/** Why the value is not a record of contract §6, or undefined when it is one. The value itself is never repeated. */
export function checkRecord(value: unknown): { reason: string; detail: string; external_id?: string } | undefined {
  const problem = check(value)[0] ?? timeProblem(value as RecordInput) ?? locatorProblem(value as RecordInput)
  if (!problem) return undefined
  const place = problem.loc.join('.')
  return {
    reason: problem.type,
    detail: place ? `${place}: ${problem.msg}` : problem.msg,
    ...externalIdOf(value),
  }
}

/** A time that an offset carries out of the years 0001 to 9999 has no RFC 3339 form in UTC. */
function timeProblem({ occurred_at: at, due, relations }: RecordInput): Problem | undefined {
  const times: [string, string | null | undefined][] = [
    ['occurred_at', at],
    ['due', due],
  ]
  for (const relation of relations ?? [])
    times.push(['relations', relation.valid_from], ['relations', relation.valid_to])
  const wrong = times.find(([, time]) => time && !instantOf(time))
  return wrong && { loc: [wrong[0]], msg: 'Must be a time in the years 0001 to 9999 in UTC.', type: 'out_of_range' }
}

/** Places out of order, or behind the text's end, are of another text. */
function locatorProblem({ text, locators }: RecordInput): Problem | undefined {
  if (!locators?.length) return undefined
  const isInOrder = locators.every(({ start }, at) => at === 0 || start > locators[at - 1]!.start)
  if (isInOrder && locators.at(-1)!.start <= (text?.length ?? 0)) return undefined
  return { loc: ['locators'], msg: 'Must ascend by `start`, within `text`.', type: 'out_of_range' }
}

/** The record's own id helps to find it, when it is one. */
function externalIdOf(value: unknown): { external_id?: string } {
  const id = (value as { external_id?: unknown } | null)?.external_id
  return typeof id === 'string' && check({ external_id: id, type: 'record' }).length === 0 ? { external_id: id } : {}
}
