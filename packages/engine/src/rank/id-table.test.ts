import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addId, countIds, createIdTable, placeOfId, placesTaken, removeId } from './id-table.ts'

const step = fc.record({ adds: fc.boolean(), id: fc.integer({ min: 0, max: 300 }).map((number) => `ent_${number}`) })

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
          expect(placeOfId(table, id)).toBe(known.get(id))
        }
        expect(countIds(table)).toBe(known.size)
        expect(placesTaken(table)).toEqual([...known.values()].sort((one, other) => one - other))
        for (const [id, place] of known) expect([placeOfId(table, id), table.ids[place]]).toEqual([place, id])
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
    expect(table.ids.length).toBe(21)
    expect(table.slots.length).toBe(64)
  })
})
