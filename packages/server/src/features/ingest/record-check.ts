import { RecordInput } from '@cairn/contract'
import { checkFirst } from '../../base/check.ts'

const check = checkFirst(RecordInput, [])

/** Why the value is not a record of contract §6, or undefined when it is one. The value itself is never repeated. */
export function checkRecord(value: unknown): { reason: string; detail: string; external_id?: string } | undefined {
  const [problem] = check(value)
  if (!problem) return undefined
  const place = problem.loc.join('.')
  return {
    reason: problem.type,
    detail: place ? `${place}: ${problem.msg}` : problem.msg,
    ...externalIdOf(value),
  }
}

/** The record's own id helps to find it, when it is one. */
function externalIdOf(value: unknown): { external_id?: string } {
  const id = (value as { external_id?: unknown } | null)?.external_id
  return typeof id === 'string' && check({ external_id: id, type: 'record' }).length === 0 ? { external_id: id } : {}
}
