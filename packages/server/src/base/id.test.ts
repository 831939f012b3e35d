import { ID_PREFIXES, type IdKind } from '@cairnstore/contract'
import { expect, test } from 'vitest'
import type { Clock } from './clock.ts'
import { isId, newId } from './id.ts'

const clockAt = (ms: number): Clock => ({ now: () => new Date(ms) })

test('ids are unique and sort by creation, also within a millisecond', () => {
  const clock = clockAt(1_800_000_000_000)
  const ids = Array.from({ length: 5000 }, () => newId('record', clock))
  expect(new Set(ids).size).toBe(ids.length)
  expect([...ids].sort()).toEqual(ids)
})

test('a later id sorts after an earlier one, to the year 2200', () => {
  const times = [0, 1, 1_700_000_000_000, 1_700_000_000_001, Date.UTC(2200)]
  const ids = times.map((ms) => newId('entity', clockAt(ms)))
  expect([...ids].sort()).toEqual(ids)
})

test('only ids with the prefix and length of their kind are valid', () => {
  const kinds = Object.keys(ID_PREFIXES) as IdKind[]
  for (const kind of kinds) {
    const id = newId(kind, clockAt(1))
    expect(kinds.filter((other) => isId(other, id))).toEqual([kind])
  }
})

test('similar texts are not ids', () => {
  const id = newId('sandbox', clockAt(1))
  for (const text of [
    '',
    'sbx_',
    id.toUpperCase(),
    `${id}0`,
    id.slice(0, -1),
    `${id}\n`,
    ` ${id}`,
    `${id.slice(0, -1)}z`,
  ]) {
    expect(isId('sandbox', text)).toBe(false)
  }
})
