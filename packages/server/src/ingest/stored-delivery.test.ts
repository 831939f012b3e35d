import { expect, it } from 'vitest'
import { Fault } from '../base/fault.ts'
import type { ReceivedLine } from './receiving-source.ts'
import { countLines, DeliveryChanged, DeliveryLost, leaveReason } from './stored-delivery.ts'

const record = (line: number, id: string): ReceivedLine => ({ line, file: 'a.csv', value: { external_id: id } })
const LINES: ReceivedLine[] = [
  { line: 1, expected: 2 },
  record(1, 'a'),
  { line: 2, error: { reason: 'file_damaged', detail: 'Cut off.' } },
  record(3, 'b'),
]

it('lines that an earlier process stored are distinguished from those after them', () => {
  const first = countLines()
  expect(LINES.slice(0, 3).map((line) => first.isStored(line))).toEqual([false, false, false])
  const next = countLines(first.upTo)
  expect(LINES.map((line) => next.isStored(line))).toEqual([true, true, true, false])
  expect(next.upTo.lines).toBe(4)
})

it('changed or missing lines are detected before any line is skipped for good', () => {
  const first = countLines()
  for (const line of LINES) first.isStored(line)
  const other = countLines(first.upTo)
  const changed = [...LINES.slice(0, 2), record(2, 'x'), LINES[3]!]
  expect(() => changed.map((line) => other.isStored(line))).toThrow(DeliveryChanged)
  const fewer = countLines(first.upTo)
  fewer.isStored(LINES[0]!)
  expect(() => fewer.assertComplete()).toThrow(DeliveryChanged)
})

it.each<[unknown, boolean, string | undefined]>([
  [new DeliveryChanged(), false, 'changed'],
  [new DeliveryLost(), false, 'stopped'],
  [new Error('anything'), true, 'stopped'],
  [new Error('anything'), false, 'failed'],
  [new Fault('disk_full'), false, 'failed'],
  [new Fault('rate_limited'), false, 'busy'],
  [new Fault('missing'), false, 'busy'],
  [new Fault('not_found'), false, undefined],
  [new Fault('archive_too_large'), false, undefined],
])('what ends a delivery early decides who reads the rest: %s', (cause, isStopping, why) => {
  expect(leaveReason(cause, isStopping)).toBe(why)
})
