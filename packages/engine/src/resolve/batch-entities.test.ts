import { describe, expect, it } from 'vitest'
import { applyMatches, type MatchCluster } from './batch-entities.ts'
import { declareDifferent, type Entity, mergedEntity, partsOf } from './entity-parts.ts'

const entity = (id: string, name: string, identifiers: string[] = []): Entity => ({
  id,
  type: 'organisation',
  names: [{ text: name, key: `name:organisation@${id}:${name}` }],
  identifiers: [`ref:src_${id}:1`, ...identifiers],
})

/** Returns clusters of parts in the format of record linkage. */
function grouped(...groups: string[][]): (partId: string) => MatchCluster | undefined {
  const all = groups.map((partIds) => ({ partIds, evidence: new Map([[partIds[0] ?? '', { probability: 0.99 }]]) }))
  return (partId) => all.find(({ partIds }) => partIds.includes(partId))
}

const A = entity('ent_a', 'Acme')
const B = entity('ent_b', 'Acme Tools')
const C = entity('ent_c', 'Acme Ltd')

describe('likeness', () => {
  it('joins what is of one group under the oldest id, with its evidence', () => {
    const { changed, merges, merged } = applyMatches([B, A], grouped(['ent_a', 'ent_b']))
    expect([...changed.keys()]).toEqual(['ent_a'])
    expect(merges).toMatchObject([{ from: 'ent_b', into: 'ent_a', kind: 'alike' }])
    expect(merged.map(({ from, into }) => [from.id, into])).toEqual([['ent_b', 'ent_a']])
  })

  it('changes nothing when all is as it should be', () => {
    const [{ changed }] = [applyMatches([B, A], grouped(['ent_a', 'ent_b']))]
    const again = applyMatches([...changed.values()], grouped(['ent_a', 'ent_b']))
    expect(again).toMatchObject({ merges: [], undone: [] })
    expect(again.changed.size).toBe(0)
  })

  it('splits what later evidence distinguishes', () => {
    const { changed } = applyMatches([A, B, C], grouped(['ent_a', 'ent_b', 'ent_c']))
    const after = applyMatches([...changed.values()], grouped(['ent_a', 'ent_c'], ['ent_b']))
    expect(after.undone).toContain('ent_b')
    const kept = [...after.changed.values()].map((each) => partsOf(each).map(({ id }) => id))
    expect(kept).toContainEqual(['ent_b'])
    expect(kept).toContainEqual(['ent_a', 'ent_c'])
  })

  it('leaves together what a person or an identifier joined', () => {
    for (const why of ['person', 'identifier'] as const) {
      const one = mergedEntity(A, B, why) as Entity
      const { changed, undone } = applyMatches([one], grouped(['ent_a'], ['ent_b']))
      expect([changed.size, undone]).toEqual([0, []])
    }
  })

  it('keeps separate what a person or identifiers declare different', () => {
    expect(applyMatches(declareDifferent(A, B), grouped(['ent_a', 'ent_b'])).merges).toEqual([])
    const mails = ['email:a@acme.example', 'email:b@acme.example']
    const two = mails.map((mail, at) => entity(`ent_${at}`, 'Acme', [mail]))
    expect(applyMatches(two, grouped(['ent_0', 'ent_1'])).merges).toEqual([])
  })
})
