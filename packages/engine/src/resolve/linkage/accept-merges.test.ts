import { describe, expect, it } from 'vitest'
import { type Agreement, acceptMerges, type LikelyPair } from './accept-merges.ts'
import { findMatches } from './find-matches.ts'
import type { PairKind } from './pair-kinds.ts'
import type { Subject } from './subject-corpus.ts'
import type { Match } from './weights.ts'

function run(subjects: readonly Subject[]): Match[] {
  const steps = findMatches(subjects, { isBarred: () => false, onFailed: () => {}, isNamed: false })
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value.same
}

/** Returns a deterministic number generator. */
function seeded(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T
  const word = () => Array.from({ length: 3 }, () => pick(SYLLABLES)).join('')
  return { next, pick, word, number: (most: number) => 1 + Math.floor(next() * most) }
}

const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'pra', 'den', 'gol', 'fex', 'tar', 'ost']

type Chance = ReturnType<typeof seeded>
type Written = Omit<Subject, 'id' | 'source'>

/**
 * Creates two catalogs of items in series. Few items are in both. The id of an item differs only in the letter of the
 * source.
 */
function catalogues(families: number, both: number, seed: number, make: (chance: Chance) => Written[]): Subject[] {
  const chance = seeded(seed)
  const subjects: Subject[] = []
  for (let family = 0; family < families; family++) {
    for (const [at, written] of make(chance).entries()) {
      const draw = chance.next()
      const sources = draw < both ? ['A', 'B'] : draw < both + (1 - both) / 2 ? ['A'] : ['B']
      for (const source of sources) subjects.push({ ...written, id: `${source}${family}-${at}`, source })
    }
  }
  return subjects
}

const isRight = ({ one, other }: Match) => one.slice(1) === other.slice(1)

const FAMILIES: Record<string, (chance: Chance) => Written[]> = {
  'a paper and its longer version': ({ word, number, pick }) => {
    const title = [word(), word(), word(), word()].join(' ')
    const authors = `${word()} ${word()}, ${word()} ${word()}`
    const year = 1990 + number(20)
    return [
      { names: [title], properties: { authors, year, venue: pick(['Conference on Data', 'Workshop on Queries']) } },
      { names: [title], properties: { authors, year: year + number(3), venue: pick(['Journal of Data', 'Letters']) } },
    ]
  },
  'a song, live and played anew': ({ word, number }) => {
    const [title, artist, seconds] = [`${word()} ${word()}`, `${word()} ${word()}`, 100 + number(200)]
    return ['', ' (Live)', ' (Remix)'].map((version, at) => ({
      names: [`${title}${version}`],
      properties: { artist, album: `${word()}${version}`, length: seconds + 20 * at },
    }))
  },
  'the branches of a chain': ({ word, number, pick }) => {
    const name = `${word()} ${pick(['Coffee', 'Books', 'Pizza'])}`
    return [1, 2, 3].map(() => ({
      names: [name],
      properties: { street: `${number(300)} ${word()} street`, city: word(), phone: String(10 ** 8 * number(90)) },
    }))
  },
  'father and son': ({ word, number }) => {
    const [name, street, city] = [`${word()} ${word()}`, `${number(300)} ${word()} street`, word()]
    return [1930, 1960].map((year) => ({
      names: [name],
      properties: { street, city, born: `${year + number(20)}-0${number(9)}-${10 + number(18)}` },
    }))
  },
  'the releases of a program': ({ word, number }) => {
    const [name, vendor, version] = [`${word()} ${word()}`, word(), number(9)]
    return [0, 1, 2].map((minor) => ({ names: [name], properties: { vendor, version: `${version}.${minor}0` } }))
  },
}

describe('similar non-matches', () => {
  for (const [name, make] of Object.entries(FAMILIES)) {
    it(`stay apart however few things have a partner: ${name}`, () => {
      for (const both of [0.3, 0]) {
        const found = run(catalogues(70, both, 11, make))
        const wrong = found.filter((each) => !isRight(each)).length
        expect(wrong, `of ${found.length} with a share of ${both}`).toBeLessThanOrEqual(found.length * 0.02)
      }
    })
  }

  it('do not hide matches if something distinguishes them', () => {
    const all = catalogues(80, 0.3, 12, FAMILIES['a paper and its longer version']!)
    const both = all.filter(({ id, source }) => source === 'A' && all.some((other) => other.id === `B${id.slice(1)}`))
    expect(run(all).filter(isRight).length).toBeGreaterThan(both.length * 0.8)
  })
})

describe('two shops', () => {
  it('charge near prices, and what one of them offers twice is no stranger to its own offer', () => {
    const { word, number, next } = seeded(8)
    const wares = Array.from({ length: 300 }, () => ({
      names: [`${word()} ${word()} ${word()}`],
      price: 20 + number(300),
      maker: word(),
    }))
    const offer = (source: string, at: number, suffix = ''): Subject => {
      const { names, price, maker } = wares[at]!
      const dearer = (price * (1.02 + next() / 8)).toFixed(2)
      return { id: `${source}${at}${suffix}`, source, names, properties: { maker, price: dearer } }
    }
    const all = wares.flatMap((_, at) => [
      ...(at < 200 ? [offer('A', at)] : []),
      ...(at >= 100 ? [offer('B', at)] : []),
      ...(at >= 260 && at < 275 ? [offer('B', at, '-again')] : []),
    ])
    const found = run(all)
    expect(found.filter((each) => !isRight(each))).toEqual([])
    expect(found.length).toBeGreaterThan(80)
  })
})

describe('names', () => {
  const product = (source: string, at: number, name: string, colour: string): Subject => ({
    id: `${source}${at}`,
    source,
    names: [`${name} ${colour}`.trim()],
    properties: { maker: name.split(' ')[0], price: 40 },
  })

  it('with an exclusive model number match unless their colors differ', () => {
    const { word, number } = seeded(3)
    const models = Array.from({ length: 150 }, () => `${word()} ${word()} x${1000 + number(8999)}`)
    const ours = models.flatMap((name, at) =>
      at < 60
        ? [product('A', at, name, 'Black'), product('A', 500 + at, name, 'White')]
        : [product('A', at, name, 'Black')],
    )
    const theirs = models.flatMap((name, at) => {
      const [, kind, code] = name.split(' ')
      if (at < 60) return []
      return [product('B', at, `${code} ${word()} ${kind}`, at < 100 ? 'White' : 'Black')]
    })
    const found = run([...ours, ...theirs])
    expect(found.filter((each) => !isRight(each))).toEqual([])
    expect(found.filter(({ one }) => Number(one.slice(1)) < 100)).toEqual([])
    expect(found.length).toBeGreaterThanOrEqual(40)
  })

  it('do not match if only one has a number', () => {
    const game = (source: string, name: string): Subject => ({
      id: source,
      source,
      names: [name],
      properties: { maker: 'Harbour Games', genre: 'puzzle', phone: '212 555 0101' },
    })
    expect(run([game('A', 'Night Harbour'), game('B', 'Night Harbour 2')])).toEqual([])
    expect(run([game('A', 'Night Harbour III'), game('B', 'Night Harbour')])).toEqual([])
    expect(run([game('A', 'Night Harbour III'), game('B', 'Night Harbour 3')])).toHaveLength(1)
    expect(run([game('A', 'Night Harbour 32GB'), game('B', 'Night Harbour 64 GB')])).toEqual([])
  })

  it('with typos are outweighed by identifying numbers', () => {
    const { word, number } = seeded(5)
    const people = Array.from({ length: 120 }, (_, at) => ({
      names: [`${word()} ${word()}`],
      other: at < 20 ? `${word()} ${word()}` : undefined,
      properties: {
        passport: String(10_000_000 + number(80_000_000)),
        insurance: String(10_000_000 + number(80_000_000)),
        street: `${number(300)} ${word()} street`,
      },
    }))
    const ours = people.map(({ names, properties }, at) => ({ id: `A${at}`, source: 'A', names, properties }))
    const theirs = people.map(({ names, other, properties }, at) => ({
      id: `B${at}`,
      source: 'B',
      names: other ? [other] : names,
      properties,
    }))
    const found = run([...ours, ...theirs])
    expect(found.filter((each) => !isRight(each))).toEqual([])
    expect(found.filter(({ one }) => Number(one.slice(1)) < 20).length).toBeGreaterThanOrEqual(18)
  })
})

const SIZE = 1_000
/** Indexes from here on are of the other source. */
const OTHER = 1_000
const SILENT: Agreement = { numbers: 'silent', hasSameNumber: false, share: 0 }

const pair = (one: number, other: number, more: Partial<LikelyPair> = {}): LikelyPair => ({
  ...{
    one,
    other,
    shared: 1,
    score: 4,
    rank: 10,
    confidence: 8,
    margin: 8,
    kind: 'same' as PairKind,
    agreement: SILENT,
  },
  ...more,
})

/** Returns how many merges of two sources, all of one class, are accepted, given pairs of the first source. */
function trusted(joins: number, made: Partial<LikelyPair>, home: Partial<LikelyPair>[] = []): number {
  const abroad = Array.from({ length: joins }, (_, at) => pair(at, OTHER + at, made))
  const atHome = home.map((more, at) => pair(500 + 2 * at, 501 + 2 * at, more))
  const steps = acceptMerges(abroad, {
    pairs: [...abroad, ...atHome],
    sizes: new Map([
      ['A', SIZE],
      ['B', SIZE],
    ]),
    sourceOf: (place) => (place < OTHER ? 'A' : 'B'),
    isDeduplicated: () => true,
  })
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value.length
}

describe('joins of two sources', () => {
  const strangers = (more: Partial<LikelyPair>) => Array.from({ length: 40 }, () => more)
  const alike: Agreement = { numbers: 'agree', hasSameNumber: true, share: 1 }

  it('are rejected if non-matches within one source are as similar', () => {
    expect(trusted(50, {})).toBe(50)
    expect(trusted(50, {}, strangers({}))).toBe(0)
  })

  it('are accepted despite duplicates within a source, which are not non-matches', () => {
    expect(trusted(50, { agreement: alike }, strangers({ agreement: alike }))).toBe(50)
    expect(trusted(50, { agreement: alike }, strangers({ agreement: { ...alike, share: 0.3 } }))).toBe(0)
    expect(trusted(50, { agreement: alike }, strangers({ agreement: alike, kind: 'within' }))).toBe(50)
  })

  it('are compared only with non-matches whose numbers agree in the same way', () => {
    expect(trusted(50, { agreement: alike }, strangers({ agreement: SILENT }))).toBe(50)
  })

  it('are not believed by names that others bear nearly as well, unless a number that is no amount is the same', () => {
    expect(trusted(50, { margin: 4 })).toBe(0)
    expect(trusted(50, { margin: 4, agreement: { ...alike, hasSameNumber: false } })).toBe(0)
    expect(trusted(50, { margin: 4, agreement: alike })).toBe(50)
    expect(trusted(50, { margin: 4, kind: 'coded' })).toBe(50)
    expect(trusted(50, { margin: undefined })).toBe(50)
  })

  it('are accepted by their margin only if there are many', () => {
    expect(trusted(50, { isByMargin: true, kind: 'apart' })).toBe(50)
    expect(trusted(3, { isByMargin: true, kind: 'apart' })).toBe(0)
  })
})
