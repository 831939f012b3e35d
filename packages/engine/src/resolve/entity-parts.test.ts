import { describe, expect, it } from 'vitest'
import { decodeEntity, encodeEntity } from './entity-content.ts'
import {
  areDeclaredDifferent,
  declareDifferent,
  type Entity,
  mergedEntity,
  partsOf,
  splitPart,
  withDeclaration,
  withoutKeys,
} from './entity-parts.ts'

const entity = (id: string, name: string, identifiers: string[] = []): Entity => ({
  id,
  type: 'person',
  names: [{ text: name, key: `name:person:${name}` }],
  identifiers,
})

const A = entity('ent_a', 'dele', ['email:dele'])
const B = entity('ent_b', 'bam', ['login:x:bam'])
const C = entity('ent_c', 'bamidele', ['login:y:b'])
const join = (into: Entity, from: Entity) => mergedEntity(into, from, 'identifier') as Entity

describe('an entity of parts', () => {
  it('is kept and read back as it was', () => {
    for (const each of [A, join(A, B), { ...A, isCompared: true as const }, ...declareDifferent(A, B)]) {
      expect(decodeEntity({ id: each.id, type: each.type, content: encodeEntity(each) })).toEqual(each)
    }
  })

  it('is separated into exactly what came together, with all that had been merged before', () => {
    const all = join(A, join(B, C))
    expect(all.identifiers).toEqual(['email:dele', 'login:x:bam', 'login:y:b'])
    const { left, leaving } = splitPart(all, 'ent_b') ?? {}
    expect(left).toEqual(A)
    expect(leaving).toEqual(join(B, C))
    expect(splitPart(all, 'ent_c')?.leaving).toEqual(C)
  })

  it('cannot lose its own part, or one that it does not have', () => {
    expect(splitPart(join(A, B), 'ent_a')).toBeUndefined()
    expect(splitPart(join(A, B), 'ent_c')).toBeUndefined()
  })

  it("adds a declaration's keys to the part that the declaration belongs to", () => {
    const thing = { names: [{ text: 'Bam A.', key: 'name:person:bam a' }], identifiers: ['login:x:bam', 'email:new'] }
    const after = withDeclaration(join(A, B), thing) as Entity
    expect(partsOf(after)[1]?.identifiers).toEqual(['login:x:bam', 'email:new'])
    expect(splitPart(after, 'ent_b')?.left).toEqual(A)
    expect(withDeclaration(after, thing)).toBeUndefined()
  })

  it('stays apart from another in whatever either becomes', () => {
    const [one, other] = declareDifferent(A, B)
    expect(areDeclaredDifferent(one, other)).toBe(true)
    expect(areDeclaredDifferent(join(C, one), other)).toBe(true)
    expect(areDeclaredDifferent(one, join(C, other))).toBe(true)
    expect(areDeclaredDifferent(A, C)).toBe(false)
  })

  it('stays apart in the part that it was said about, and in the whole', () => {
    const [whole, other] = declareDifferent(join(A, B), C, ['ent_b', 'ent_c'])
    const { left, leaving } = splitPart(whole, 'ent_b') as { left: Entity; leaving: Entity }
    expect(areDeclaredDifferent(left, other)).toBe(true)
    expect(areDeclaredDifferent(leaving, other)).toBe(true)
    expect(areDeclaredDifferent(left, leaving)).toBe(false)
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
