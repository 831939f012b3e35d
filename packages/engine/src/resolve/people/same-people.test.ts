import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import written from '../../../../../tests/people/as-written.json' with { type: 'json' }
import { createResolver, declarationsOf, type Entity, type KnownEntities } from '../index.ts'
import type { LinkageResult } from '../linkage/weights.ts'
import { findSamePeople, type PeopleOptions, type PersonSubject } from './same-people.ts'

interface Written {
  name: string
  email?: string
  login?: string
  at: string[]
}

const PEOPLE = written.people as Written[][]
const open: PeopleOptions = {
  isBarred: () => false,
  onFailed: (one, other, error) => {
    throw new Error(`${one} and ${other} could not be compared`, { cause: error })
  },
}

function run(subjects: readonly PersonSubject[], options: Partial<PeopleOptions> = {}): LinkageResult {
  const steps = findSamePeople(subjects, { ...open, ...options })
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

function thingOf({ name, email, login }: Written) {
  const identifiers = { ...(email && { email }), ...(login && { login }) }
  const author = { name, ...(Object.keys(identifiers).length > 0 && { identifiers }) }
  const [thing] = declarationsOf(
    { external_id: 'x', type: 'message', text: '', author },
    { sourceId: 's', provider: 'github' },
  )
  return thing!
}

/** Resolves people by identifiers and names, then by record linkage. Returns each spelling with its entity. */
function resolvePeople(people: readonly Written[][]) {
  const known: KnownEntities = { withKey: () => [], get: () => undefined }
  const keys = new Map<string, number>()
  const hash = (key: string) => keys.get(key) ?? keys.set(key, keys.size).size - 1
  let made = 0
  const resolver = createResolver(known, hash, () => `e${String(made++).padStart(4, '0')}`)
  const ways = people.flatMap((person, who) => person.map((way) => ({ way, who, thing: thingOf(way) })))
  ways.sort((a, b) => (JSON.stringify(a.way) < JSON.stringify(b.way) ? -1 : 1))
  for (const { thing } of ways) resolver.resolve(thing)
  const entities = [...resolver.changes.changed.values()]
  const bearers = ({ thing }: (typeof ways)[number]): Entity[] => {
    const identified = entities.filter(({ identifiers }) => thing.identifiers.some((key) => identifiers.includes(key)))
    if (identified.length > 0) return identified
    return entities.filter(({ names }) => names.some(({ key }) => thing.names.some((name) => name.key === key)))
  }
  const found = ways.map((each) => ({ ...each, ids: bearers(each).map(({ id }) => id) }))
  const subjects = entities.map(({ id, names, identifiers }) => ({
    id,
    names: names.map(({ text }) => text),
    identifiers,
    neighbours: found.flatMap(({ ids, way }) => (ids.length === 1 && ids[0] === id ? way.at : [])),
  }))
  const { same } = run(subjects)
  const lead = new Map(same.length > 0 ? entities.map(({ id }) => [id, id]) : [])
  const leader = (id: string): string => ((lead.get(id) ?? id) === id ? id : leader(lead.get(id)!))
  for (const { one, other } of same) lead.set(leader(one), leader(other))
  const groupOf = (of: (id: string) => string) => (at: number) => {
    const groups = new Set(found[at]!.ids.map(of))
    return groups.size === 1 ? [...groups][0]! : `nobody ${at}`
  }
  const who = found.map((each) => each.who)
  return {
    before: score(
      who,
      groupOf((id) => id),
    ),
    after: score(who, groupOf(leader)),
    subjects,
  }
}

function score(who: readonly number[], groupOf: (at: number) => string) {
  const groups = who.map((_, at) => groupOf(at))
  let [right, found, all] = [0, 0, 0]
  for (let one = 0; one < who.length; one++) {
    for (let other = one + 1; other < who.length; other++) {
      const [isFound, isTrue] = [groups[one] === groups[other], who[one] === who[other]]
      right += Number(isFound && isTrue)
      found += Number(isFound)
      all += Number(isTrue)
    }
  }
  return { precision: right / found, f1: (2 * right) / (found + all) }
}

describe('people as they are written', () => {
  it('are known again across addresses, and nearly nobody is taken for another', () => {
    const { before, after } = resolvePeople(PEOPLE)
    expect(PEOPLE.length).toBeGreaterThanOrEqual(300)
    expect(before.f1).toBeLessThan(0.65)
    // Seven pairs of different people in the data set share a login, which no code host allows. They are merged by it.
    expect(after.precision).toBeGreaterThanOrEqual(0.965)
    expect(after.f1).toBeGreaterThanOrEqual(0.9)
  })

  it('are found in each half by itself', () => {
    for (const half of [0, 1]) {
      const { after } = resolvePeople(PEOPLE.filter((_, at) => at % 2 === half))
      expect(after.precision).toBeGreaterThanOrEqual(0.96)
      expect(after.f1).toBeGreaterThanOrEqual(0.9)
    }
  })

  it('are the same ones whatever the order', () => {
    const { subjects } = resolvePeople(PEOPLE.slice(0, 60))
    const expected = run(subjects)
    fc.assert(
      fc.property(fc.shuffledSubarray(subjects, { minLength: subjects.length }), (shuffled) => {
        expect(run(shuffled)).toEqual(expected)
      }),
      { numRuns: 5 },
    )
  })
})

const person = (id: string, name: string, email: string, ...neighbours: string[]): PersonSubject => ({
  id,
  names: [name],
  identifiers: [`email:${email}`],
  neighbours,
})

describe('two people', () => {
  it('of a rare name are one, of a name that very many bear only where they are known together', () => {
    expect(
      run([person('a', 'Tuuli Quiroga', 'tq@corvid.io'), person('b', 'Tuuli Quiroga', 't@gmail.com')]).same,
    ).toHaveLength(1)
    const common = (...at: string[]) =>
      run([person('a', 'John Smith', 'js@corvid.io', 'core'), person('b', 'John Smith', 'x@oxbow.io', ...at)])
    expect(common('other').same).toEqual([])
    expect(common('core').maybe).toHaveLength(1)
  })

  it('of one firm whose mailboxes differ in a number are two', () => {
    const two = [
      person('a', 'Tuuli Quiroga', 'tuuli.quiroga@corvid.io', 'core'),
      person('b', 'Tuuli Quiroga', 'tuuli.quiroga2@corvid.io', 'core'),
    ]
    expect(run(two).same).toEqual([])
  })

  it('stay separate if a person decided so, or if the comparison fails, which is reported', () => {
    const two = [person('a', 'Tuuli Quiroga', 'tq@corvid.io'), person('b', 'Tuuli Quiroga', 't@gmail.com')]
    expect(run(two, { isBarred: () => true }).same).toEqual([])
    const failed: string[] = []
    const isBarred = () => {
      throw new TypeError('not to be compared')
    }
    expect(run(two, { isBarred, onFailed: (one, other) => failed.push(one, other) }).same).toEqual([])
    expect(failed).toEqual(['a', 'b'])
  })
})

describe('an address of nobody', () => {
  it('is kept as it is written and makes nobody one', () => {
    for (const email of ['devnull@localhost', 'root@build01', 'noreply@corvid.io', 'team-data@corvid.io', '(none)']) {
      const thing = thingOf({ name: 'Tuuli Quiroga', email, at: [] })
      expect(thing.identifiers, email).toEqual([])
      expect(thing.given.identifiers).toEqual({ email })
    }
    expect(thingOf({ name: 'Tuuli Quiroga', email: 'tuuli@corvid.io', at: [] }).identifiers).toHaveLength(1)
    const organisation = declarationsOf(
      {
        external_id: 'x',
        type: 'note',
        text: '',
        entities: [{ type: 'company', name: 'Corvid', identifiers: { email: 'info@corvid.io' } }],
      },
      { sourceId: 's', provider: 'crm' },
    )
    expect(organisation[0]?.identifiers).toEqual(['email:info@corvid.io'])
  })
})
