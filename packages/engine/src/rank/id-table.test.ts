import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addId, compareIds, countIds, createIdTable, findOrdinal, idAt, removeId, usedOrdinals } from './id-table.ts'

/** Realistic ids, and variants that differ from them in one respect. */
const TAILS = ['', 'ent_', 'rec_', 'ent_x', 'ENT_'].flatMap((prefix) =>
  ['0', 'v', 'w', 'V', '-', 'é'].map((digit) => (tail: string) => prefix + tail.slice(1) + digit),
)
const id = fc
  .tuple(
    fc.integer({ min: 0, max: 300 }),
    fc.constantFrom(...TAILS, (tail: string) => `ent_${tail}`, String),
  )
  .map(([number, write]) => write(number.toString(32).padStart(26, '0')))
const step = fc.record({ adds: fc.boolean(), id })

describe('a table of ids', () => {
  it('knows what a Map would, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 800 }), (steps) => {
        const table = createIdTable()
        const known = new Map<string, number>()
        for (const { adds, id } of steps) {
          if (adds) known.set(id, addId(table, id))
          else {
            expect(removeId(table, id)).toBe(known.get(id))
            known.delete(id)
          }
          expect(findOrdinal(table, id)).toBe(known.get(id))
        }
        expect(countIds(table)).toBe(known.size)
        expect(usedOrdinals(table)).toEqual([...known.values()].sort((one, other) => one - other))
        const inOrder = [...known].sort(([, one], [, other]) => compareIds(table, one, other)).map(([id]) => id)
        expect(inOrder).toEqual([...known.keys()].sort())
        for (const [id, place] of known) expect([findOrdinal(table, id), idAt(table, place)]).toEqual([place, id])
      }),
      { numRuns: 60 },
    )
  })

  it('keeps its size while as many come as go', () => {
    const table = createIdTable()
    for (let at = 0; at < 5_000; at++) {
      addId(table, `ent_${at}`)
      if (at >= 20) removeId(table, `ent_${at - 20}`)
    }
    expect(countIds(table)).toBe(20)
    expect(table.idLimit).toBe(21)
    expect([idAt(table, 21), idAt(table, -1), table.unpacked.size]).toEqual([undefined, undefined, 20])
    expect(table.slots.length).toBe(64)
  })
})
