import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findMatches, type LinkageOptions } from './find-matches.ts'
import type { Subject } from './subject-corpus.ts'
import type { LinkageResult, Match } from './weights.ts'

const OPEN: LinkageOptions = {
  isBarred: () => false,
  onFailed: (one, other, error) => {
    throw new Error(`${one} and ${other} could not be compared`, { cause: error })
  },
  isNamed: false,
}

function find(subjects: readonly Subject[], options: Partial<LinkageOptions> = {}): LinkageResult {
  const steps = findMatches(subjects, { ...OPEN, ...options })
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

const run = (subjects: readonly Subject[], options: Partial<LinkageOptions> = {}): Match[] =>
  find(subjects, options).same

/** Returns the merged groups, each as sorted ids, sorted. */
function groupsOf(subjects: readonly Subject[], found: readonly Match[]): string[][] {
  const leader = new Map(subjects.map(({ id }) => [id, id]))
  const leaderOf = (id: string): string => (leader.get(id) === id ? id : leaderOf(leader.get(id) as string))
  for (const { one, other } of found) leader.set(leaderOf(one), leaderOf(other))
  const groups = new Map<string, string[]>()
  for (const { id } of subjects) groups.set(leaderOf(id), [...(groups.get(leaderOf(id)) ?? []), id])
  return [...groups.values()].map((group) => group.sort()).sort((a, b) => (a.join() < b.join() ? -1 : 1))
}

/** Returns a deterministic number generator. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'pra', 'den', 'gol', 'fex']

/** Creates restaurants of one source, and the same ones in another source with typos and abbreviations. */
function twoGuides(count: number, seed: number) {
  const random = seeded(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const word = () => Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(SYLLABLES)).join('')
  const streets = Array.from({ length: 40 }, word)
  const cities = Array.from({ length: 6 }, word)
  const slip = (text: string) => {
    const at = 1 + Math.floor(random() * (text.length - 2))
    return random() < 0.5 ? text.slice(0, at) + text.slice(at + 1) : `${text.slice(0, at)}e${text.slice(at)}`
  }
  const ours: Subject[] = []
  const theirs: Subject[] = []
  for (let at = 0; at < count; at++) {
    const name = `${word()} ${word()}`
    const phone = String(1_000_000_000 + Math.floor(random() * 8_999_999_999))
    const street = `${1 + Math.floor(random() * 400)} ${pick(streets)} street`
    const city = pick(cities)
    const written = `${phone.slice(0, 3)}/${phone.slice(3, 6)}-${phone.slice(6)}`
    ours.push({ id: `a${at}`, source: 'A', names: [name], properties: { phone, street, city } })
    const other = { phone: written, street: street.replace('street', 'st.'), city, kitchen: pick(['french', 'thai']) }
    theirs.push({ id: `b${at}`, source: 'B', names: [random() < 0.4 ? slip(name) : name], properties: other })
  }
  return { ours, theirs }
}

describe('a comparison', () => {
  it('takes words for words that every object has by inheritance', () => {
    const { ours, theirs } = twoGuides(60, 4)
    const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty']
    const named = (all: Subject[]) =>
      all.map((one, at) => ({ ...one, names: one.names.map((name) => `${inherited[at % 4]} ${name}`) }))
    expect(run([...named(ours), ...named(theirs)]).length).toBeGreaterThan(30)
  })

  it('that fails for a pair treats it as a non-match, reports it once and completes all others', () => {
    const { ours, theirs } = twoGuides(100, 1)
    const all = [...ours, ...theirs]
    const usual = run(all)
    const broken = usual[3]!
    const isBroken = (one: string, other: string) =>
      [one, other].includes(broken.one) && [one, other].includes(broken.other)
    const failed: string[][] = []
    const found = run(all, {
      isBarred: (one, other) => {
        if (isBroken(one, other)) throw new TypeError('not to be compared')
        return false
      },
      onFailed: (one, other) => failed.push([one, other].sort()),
    })
    expect(failed).toEqual([[broken.one, broken.other].sort()])
    expect(found.some(({ one, other }) => isBroken(one, other))).toBe(false)
    expect(found.length).toBeGreaterThanOrEqual(usual.length - 1)
  })

  it('that fails for whatever it is given fails as a whole', () => {
    const { ours, theirs } = twoGuides(1_020, 2)
    const isBarred = () => {
      throw new TypeError('not to be compared')
    }
    expect(() => run([...ours, ...theirs], { isBarred, onFailed: () => {} })).toThrow('not to be compared')
  })
})

describe('entities of two sources', () => {
  it('are found to be one in spite of slips, and nearly nothing else is', () => {
    const { ours, theirs } = twoGuides(150, 1)
    const found = run([...ours, ...theirs.slice(20)])
    const right = found.filter(({ one, other }) => one.slice(1) === other.slice(1)).length
    expect(right / found.length).toBeGreaterThanOrEqual(0.98)
    expect(right).toBeGreaterThanOrEqual(120)
  })

  it('stay two when the sources have nothing in common', () => {
    const { ours, theirs } = twoGuides(240, 2)
    const found = run([...ours.slice(0, 120), ...theirs.slice(120)])
    expect(found.length).toBeLessThanOrEqual(2)
  })

  it('become the same ones whatever the order in which they came', () => {
    const { ours, theirs } = twoGuides(50, 3)
    const all = [...ours, ...theirs]
    const expected = groupsOf(all, run(all))
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(groupsOf(all, run(shuffled))).toEqual(expected)
      }),
      { numRuns: 5 },
    )
  })

  it('stay two when nothing is known of them but a name, though others of their type say more', () => {
    const { ours, theirs } = twoGuides(150, 8)
    const kitchens = ['thai', 'french bistro', 'new york deli', 'seafood', 'harbour grill', 'noodle house']
    const bare = (source: string) =>
      kitchens.map((name): Subject => ({ id: `${source}-${name}`, source, names: [name], properties: {} }))
    const found = run([...ours, ...theirs, ...bare('A'), ...bare('B')])
    expect(found.filter(({ one }) => one.includes('-'))).toEqual([])
    expect(found.length).toBeGreaterThanOrEqual(120)
  })

  it('stay two where identifiers or a person bar it', () => {
    const { ours, theirs } = twoGuides(80, 4)
    const all = [...ours, ...theirs]
    const isBarred = (one: string, other: string) => [one, other].includes('a7')
    expect(run(all, { isBarred }).flatMap(({ one, other }) => [one, other])).not.toContain('a7')
  })

  it('say what agrees', () => {
    const { ours, theirs } = twoGuides(80, 5)
    const [first] = run([...ours, ...theirs])
    expect(first?.agree).toContain('phone')
    expect(first?.probability).toBeGreaterThan(0.7)
  })
})

describe('entities of one source', () => {
  it('stay separate if the source lists each entity once, however similar they are', () => {
    const { ours } = twoGuides(120, 6)
    const twins = ours.slice(0, 8).map((subject, at) => ({ ...subject, id: `twin${at}` }))
    expect(run([...ours, ...twins])).toEqual([])
  })

  it('are suggested if a source has a few duplicates', () => {
    const { ours } = twoGuides(120, 6)
    const twins = ours.slice(0, 8).map((subject, at) => ({ ...subject, id: `twin${at}` }))
    const suggested = find([...ours, ...twins]).maybe.map(({ one, other }) => [one, other].sort().join(' '))
    expect(suggested.sort()).toEqual(twins.map(({ id }, at) => `a${at} ${id}`))
  })

  it('are merged if the source has many duplicates', () => {
    const { ours, theirs } = twoGuides(150, 7)
    const all = [...ours, ...theirs.map((subject) => ({ ...subject, source: 'A' }))]
    const found = run(all)
    const right = found.filter(({ one, other }) => one.slice(1) === other.slice(1)).length
    expect(right / found.length).toBeGreaterThanOrEqual(0.98)
    expect(right).toBeGreaterThanOrEqual(120)
  })
})

describe('numbers', () => {
  const rooms = (source: string, numbers: number[]): Subject[] =>
    numbers.map((number) => ({
      id: `${source}${number}`,
      source,
      names: [`Room ${number}`],
      properties: { building: 'North wing', floor: Math.floor(number / 100), seats: 12 },
    }))

  it('keep Room 101 and Room 102 apart, with few rooms and with many', () => {
    expect(run([...rooms('A', [101]), ...rooms('B', [102])], { isNamed: true })).toEqual([])
    const many = Array.from({ length: 120 }, (_, at) => 101 + at)
    const found = run([...rooms('A', many), ...rooms('B', many.slice(3))], { isNamed: true })
    expect(found.filter(({ one, other }) => one.slice(1) !== other.slice(1))).toEqual([])
  })

  it('keep two meetings of one series and two sizes of one product apart', () => {
    const meeting = (source: string, name: string): Subject => ({
      id: source,
      source,
      names: [name],
      properties: { host: 'Priya Raman', place: 'Harbour room' },
    })
    expect(run([meeting('A', 'Board meeting 2026-07-01'), meeting('B', 'Board meeting 2026-07-08')])).toEqual([])
    expect(run([meeting('A', 'Hiking boot size 41'), meeting('B', 'Hiking boot size 42')])).toEqual([])
  })
})

describe('a few entities, too few to learn from', () => {
  const firm = (source: string, name: string, properties: Record<string, string>): Subject => ({
    id: source,
    source,
    names: [name],
    properties,
  })

  it('match by an equal name without contradiction, for types that are identified by name', () => {
    const two = [firm('A', 'Acme Tools', { vat: 'x' }), firm('B', 'Acme Tools', { city: 'Porto' })]
    expect(run(two, { isNamed: true })).toHaveLength(1)
    expect(run(two)).toEqual([])
  })

  it('are two when each name has a word that the other has not, however much they share', () => {
    const home = { phone: '212 555 0101', street: '7 Quay road', city: 'Porto', postcode: '40002', country: 'Portugal' }
    for (const [one, other] of [
      ['Anna Hale', 'Robert Hale'],
      ['Acme Holding GmbH', 'Acme Logistics GmbH'],
      ['Acme GmbH', 'Acme Inc.'],
    ] as const) {
      for (const isNamed of [true, false]) {
        expect(run([firm('A', one, home), firm('B', other, home)], { isNamed }), one).toEqual([])
      }
    }
    for (const other of ['Acme', 'Acme Tool', 'ACME Tols', 'A. Tools', 'Acme Tools Porto']) {
      const two = [firm('A', 'Acme Tools', home), firm('B', other, home)]
      expect(run(two, { isNamed: true }), other).toHaveLength(1)
    }
  })

  it('are two when a number of theirs differs', () => {
    const two = [firm('A', 'Acme Tools', { phone: '212 555 0101' }), firm('B', 'Acme Tools', { phone: '415 555 8832' })]
    expect(run(two, { isNamed: true })).toEqual([])
  })
})
