import { describe, expect, it } from 'vitest'
import { findMentions } from '../mentions/find-mentions.ts'
import { parseIsoDay } from '../text/civil-date.ts'
import { FACTS_MAX, findFacts } from './find-facts.ts'

const today = parseIsoDay('2026-07-03')!
const SAYING = { isSpeakerKnown: true, today }

function factsIn(text: string, saying: object = {}) {
  return findFacts(text, findMentions(text), { ...SAYING, ...saying })
}

/** Returns the facts that have not ended, such as "I · lives in · Lyon". */
function facts(text: string, saying: object = {}): string[] {
  const holding = factsIn(text, saying).filter(({ until }) => until === undefined)
  return holding.map(({ subject, predicate, object }) => {
    const who = subject.kind === 'named' ? subject.name : subject.kind === 'speaker' ? 'I' : 'it'
    return `${who} · ${predicate} · ${object}`
  })
}

describe('what somebody says of themselves', () => {
  it.each([
    ['I moved to Lyon.', 'lives in · Lyon'],
    ["Hi! I've just moved back to New York with my family.", 'lives in · New York'],
    ["By the way, I'm based in San Francisco, so I know.", 'lives in · San Francisco'],
    ["Since I've been living in Paris, I walk.", 'lives in · Paris'],
    ['I work at Acme Corp, on the third floor.', 'works for · Acme Corp'],
    ['I am currently working as a data analyst at Acme Corp.', 'works as · a data analyst'],
    ['I took over Harbour from Bob.', 'leads · Harbour'],
    ['I work at Acme Corp as a nurse.', 'works as · a nurse'],
    ['I work as a nurse at Acme Corp.', 'works for · Acme Corp'],
  ])('%s', (text, fact) => {
    expect(facts(text)).toContain(`I · ${fact}`)
  })

  it('is no fact where nobody knows who says it', () => {
    expect(facts('I moved to Lyon with my cat Luna.', { isSpeakerKnown: false })).toEqual([])
  })
})

describe('what is said to have ended', () => {
  const ended = (text: string, saying: object = {}) =>
    factsIn(text, saying).flatMap(({ predicate, object, until }) =>
      until === undefined ? [] : `${predicate} ${object} ${until - today}`,
    )

  it.each([
    ['I left Acme Corp.', 'works for Acme Corp 0'],
    ['I just quit my job at Acme Corp, at last!', 'works for Acme Corp 0'],
    ['I no longer work for Acme Corp.', 'works for Acme Corp 0'],
    ['I stopped working at Acme Corp on 1 July.', 'works for Acme Corp -2'],
    ['I was laid off from Acme Corp yesterday.', 'works for Acme Corp -1'],
    ['I have moved out of Lyon.', 'lives in Lyon 0'],
    ['I no longer lead Harbour.', 'leads Harbour 0'],
    ['Ana no longer works for Acme Corp.', 'works for Acme Corp 0'],
  ])('%s', (text, end) => {
    expect(ended(text)).toEqual([end])
  })

  it.each([
    'I will have left Acme Corp by then.',
    'When I left Acme Corp, it rained.',
    'If I quit my job at Acme Corp I could travel.',
    'I left Ana at the station.',
    'Bob said: I left Acme Corp.',
    'Have you left Acme Corp?',
    "I haven't left Acme Corp.",
  ])('%s says of nothing that it ended', (text) => {
    expect(ended(text)).toEqual([])
  })

  it('ends on no day where nobody knows when it was said', () => {
    expect(ended('I left Acme Corp.', { today: undefined })).toEqual([])
  })
})

describe('what is said of others', () => {
  it.each([
    ['Ana works for Acme Corp.', 'Ana · works for · Acme Corp'],
    ['Tomás Vidal is now the lead of Harbour.', 'Tomás Vidal · leads · Harbour'],
    ['FYI Alex Okafor leads Harbour from that day.', 'Alex Okafor · leads · Harbour'],
    ['The Harbour launch moved to 17 August.', 'Harbour · launch date · 2026-08-17'],
    ['FYI the Harbour release has been pushed from 3 August to 17 August.', 'Harbour · release date · 2026-08-17'],
    ["Tidewell's deadline is now Friday 10 July.", 'Tidewell · deadline · 2026-07-10'],
  ])('%s', (text, fact) => {
    expect(facts(text)).toContain(fact)
  })

  it('a launch without a name belongs to the one entity that the record is about', () => {
    expect(facts('The launch moved to 17 August.')).toEqual([])
    expect(facts('The launch moved to 17 August.', { isAboutKnown: true })).toEqual(['it · launch date · 2026-08-17'])
    expect(facts('The launch moved to 12 January.', { isAboutKnown: true, today: today + 150 })).toEqual([
      'it · launch date · 2027-01-12',
    ])
  })
})

it('a time that is said with it is since when it holds', () => {
  const sinceOf = (text: string) => factsIn(text)[0]?.since
  expect(sinceOf('I moved to Lyon 3 weeks ago.')).toBe(today - 21)
  expect(sinceOf("I've been living in Tokyo for the past 6 months now.")).toBe(parseIsoDay('2026-01-03'))
  expect(sinceOf('I moved to Lyon in March 2025 for work.')).toBe(parseIsoDay('2025-03-01'))
  expect(sinceOf('I moved to Lyon.')).toBeUndefined()
})

it('each fact has its offsets and a confidence', () => {
  const text = 'Well, I just moved to Lyon, you know.'
  const [fact] = factsIn(text)
  expect(text.slice(fact!.start, fact!.end)).toBe('I just moved to Lyon')
  expect(fact!.confidence).toBeGreaterThan(factsIn('Ana lives in Lyon.')[0]!.confidence)
})

describe('nothing is a fact that is', () => {
  it.each([
    ['denied', "I don't live in Lyon. I never moved to Lyon. Ana no longer works for Acme Corp."],
    ['over', 'I used to live in Lyon. I lived in Lyon. I was living in Lyon when the war began.'],
    ['asked', 'I live in Lyon? Is Ana leading Harbour? Do you know whether Ana works for Acme Corp?'],
    ['a condition', 'If I moved to Lyon, I would work at Acme Corp. Unless I live in Lyon, I cannot vote.'],
    [
      'imagined',
      'Imagine I live in Lyon. Suppose Ana works for Acme Corp. I wish I lived in Lyon. I dream I live in Lyon.',
    ],
    [
      'planned',
      "I will move to Lyon. I'm going to live in Lyon. I'll live in Lyon. Ana starts working at Acme Corp soon.",
    ],
    [
      'wanted',
      'I want to live in Lyon. I would love to work at Acme Corp. I might be living in Lyon. I thought I live in Lyon.',
    ],
    ['reported', 'Bob said that I live in Lyon. I heard Ana works for Acme Corp. Apparently Ana lives in Lyon.'],
    ['said by others', 'Bob: I live in Lyon\n\n> I moved to Lyon\n\nAna wrote:\nI moved to Lyon. I work at Acme Corp.'],
    ['quoted', 'She laughed: "I moved to Lyon." “I live in Oslo”, he went on. ‘I live in Rome’. \'I live in Kyiv\'.'],
    ['told in a story', 'In the novel I live in Lyon. My character is living in Oslo.'],
    ['of another time', 'When I moved to Lyon, I was ten. Before I moved to Lyon, all was well.'],
    [
      'of somebody else',
      'The friend of Ana works for Acme Corp. Those who live in Lyon know. People like Ana live in Lyon.',
    ],
    ['asked at its end', "I live in Lyon, don't I? Do you think, as I live in Lyon, that I should?"],
  ])('%s', (_, text) => {
    expect(facts(text)).toEqual([])
  })
})

it('a text that is written against it is read to its end', () => {
  const hostile = [
    'I just now also moved to '.repeat(10_000),
    'the launch is now been has is '.repeat(10_000),
    '"'.repeat(100_000),
    `${'Ana '.repeat(30_000)}works for Acme`,
    'I live in Lyon for a the past last about '.repeat(5_000),
    "i 'd 'd ".repeat(20_000),
    'I work as a nurse at Acme Corp. '.repeat(5_000),
    'what, is '.repeat(30_000),
  ]
  // A step with quadratic run time would exceed the test timeout.
  for (const text of hostile) expect(factsIn(text).length).toBeLessThanOrEqual(FACTS_MAX)
})
