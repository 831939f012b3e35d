import { describe, expect, it } from 'vitest'
import { decodeEntity, encodeEntity } from './entity-content.ts'
import { areApart, type Entity, enriched, joined, keepApart, partsOf, separated, withoutKeys } from './entity-parts.ts'

const entity = (id: string, name: string, identifiers: string[] = []): Entity => ({
  id,
  type: 'person',
  names: [{ text: name, key: `name:person:${name}` }],
  identifiers,
})

const A = entity('ent_a', 'dele', ['email:dele'])
const B = entity('ent_b', 'bam', ['login:x:bam'])
const C = entity('ent_c', 'bamidele', ['login:y:b'])
const join = (into: Entity, from: Entity) => joined(into, from, 'identifier') as Entity

describe('an entity of parts', () => {
  it('is kept and read back as it was', () => {
    for (const each of [A, join(A, B), { ...A, isCompared: true as const }, ...keepApart(A, B)]) {
      expect(decodeEntity({ id: each.id, type: each.type, content: encodeEntity(each) })).toEqual(each)
    }
  })

  it('is separated into exactly what came together, with all that had been merged before', () => {
    const all = join(A, join(B, C))
    expect(all.identifiers).toEqual(['email:dele', 'login:x:bam', 'login:y:b'])
    const { left, leaving } = separated(all, 'ent_b') ?? {}
    expect(left).toEqual(A)
    expect(leaving).toEqual(join(B, C))
    expect(separated(all, 'ent_c')?.leaving).toEqual(C)
  })

  it('cannot lose its own part, or one that it does not have', () => {
    expect(separated(join(A, B), 'ent_a')).toBeUndefined()
    expect(separated(join(A, B), 'ent_c')).toBeUndefined()
  })

  it("adds a declaration's keys to the part that the declaration belongs to", () => {
    const thing = { names: [{ text: 'Bam A.', key: 'name:person:bam a' }], identifiers: ['login:x:bam', 'email:new'] }
    const after = enriched(join(A, B), thing) as Entity
    expect(partsOf(after)[1]?.identifiers).toEqual(['login:x:bam', 'email:new'])
    expect(separated(after, 'ent_b')?.left).toEqual(A)
    expect(enriched(after, thing)).toBeUndefined()
  })

  it('stays apart from another in whatever either becomes', () => {
    const [one, other] = keepApart(A, B)
    expect(areApart(one, other)).toBe(true)
    expect(areApart(join(C, one), other)).toBe(true)
    expect(areApart(one, join(C, other))).toBe(true)
    expect(areApart(A, C)).toBe(false)
  })

  it('stays apart in the part that it was said about, and in the whole', () => {
    const [whole, other] = keepApart(join(A, B), C, ['ent_b', 'ent_c'])
    const { left, leaving } = separated(whole, 'ent_b') as { left: Entity; leaving: Entity }
    expect(areApart(left, other)).toBe(true)
    expect(areApart(leaving, other)).toBe(true)
    expect(areApart(left, leaving)).toBe(false)
  })

  it('is gone with its last key, and a part with nothing left hands on what was merged into it', () => {
    const all = join(A, join(B, C))
    const after = withoutKeys(all, new Set(['login:x:bam', 'name:person:bam'])) as Entity
    expect(partsOf(after).map(({ id, into }) => [id, into])).toEqual([
      ['ent_a', undefined],
      ['ent_c', 'ent_a'],
    ])
    expect(withoutKeys(A, new Set(['email:dele', 'name:person:dele']))).toBeUndefined()
  })
})
