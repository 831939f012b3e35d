import { describe, expect, it } from 'vitest'
import { asking, plainTerms, story } from '../../../../tests/harness/sample-stories.ts'
import { answerQuestion } from './answer.ts'
import type { BriefRecord, Corpus } from './brief.ts'
import { unfaithfulWords } from './faithful.ts'

const ana = { canonicalId: 'ent_ana', name: 'Ana Silva', type: 'person' }
const jon = { canonicalId: 'ent_jon', name: 'Jon Berg', type: 'person' }

const records: BriefRecord[] = [
  story('rec_1', 1, { type: 'document', title: 'Gateway', text: 'The gateway limit is 30 seconds since the outage.' }),
  story('rec_2', 2, {
    author: { name: 'Ana Silva', canonicalId: 'ent_ana' },
    text: 'I adopted two kittens after the race in Porto.',
    entities: [ana],
  }),
  story('rec_3', 3, { author: { name: 'Jon Berg', canonicalId: 'ent_jon' }, text: 'Lunch at noon?', entities: [jon] }),
]

/**
 * Returns statistics of a corpus of a thousand records in which the terms of these records are rare and no others
 * occur.
 */
function corpusOf(records: readonly BriefRecord[]): Corpus {
  const held = new Set(
    plainTerms(records.map(({ title, text, author }) => `${title} ${text} ${author?.name}`).join('\n')),
  )
  return { records: 1000, degreeOf: (term) => (held.has(term) ? 2 : 0) }
}

const ask = (query: string) => answerQuestion(asking(query, records, { corpus: corpusOf(records) }))

describe('a question that nothing answers', () => {
  it('is refused in one sentence that names what is not there, and cites nothing', () => {
    const brief = ask('Who should I ask about Kubernetes?')
    expect(brief).toMatchObject({ outcome: 'nothing', brief: 'No record mentions Kubernetes.', citations: [] })
    expect(unfaithfulWords(brief, records)).toEqual([])
  })

  it('is refused when it asks of one person what another did', () => {
    expect(ask('Which kittens did Jon Berg adopt after the race in Porto?').outcome).not.toBe('answered')
    expect(ask('Which kittens did Ana Silva adopt after the race in Porto?').outcome).toBe('answered')
  })

  it('is refused when what is said to a person, and not by them, has its words', () => {
    const talk = [
      { author: 'ana', text: 'I adopted two kittens after the race in Porto.' },
      { author: 'jon', text: 'Congratulations on your two kittens, how was the race in Porto?' },
    ].map(({ author, text }, at) => {
      const { canonicalId, name } = author === 'ana' ? ana : jon
      return story(`rec_${at}`, at + 1, { author: { name, canonicalId }, text, entities: [ana, jon] })
    })
    const about = (name: string) =>
      answerQuestion(
        asking(`Which kittens did ${name} adopt after the race in Porto?`, talk, { corpus: corpusOf(talk) }),
      )
    expect(about('Ana Silva').outcome).toBe('answered')
    expect(about('Jon Berg').outcome).not.toBe('answered')
  })

  it('is repeated by no more than 120 characters', () => {
    const { outcome, brief } = ask(`Why did Zanzibar ${'and again '.repeat(60)}fall?`)
    expect(outcome).toBe('nothing')
    expect(brief.length).toBeLessThan(180)
  })
})

describe('a question that is answered', () => {
  it('may say in another form what a record says, and name somebody unknown beside somebody known', () => {
    expect(ask('Who is the adopter of two kittens after the race in Porto?').outcome).toBe('answered')
    expect(ask('What did Ana Silva and Zora Quill adopt after the race in Porto?').outcome).toBe('answered')
    const unknown = ask('What did Zora Quill adopt after the race in Porto?')
    expect(unknown.brief).toBe('No record mentions Zora Quill.')
  })

  it('may be in another language than the records, if they share its names', () => {
    expect(ask('Wer ist der Ansprechpartner für Gateway?').outcome).toBe('answered')
    expect(ask('Was hat die Zora Quill mit dem Gateway gemacht?').outcome).not.toBe('answered')
    expect(ask('Wer ist der Ansprechpartner für Kubernetes?').outcome).not.toBe('answered')
  })

  it('may be found by its meaning in other words, unless what it names is unknown', () => {
    const corpus = { ...corpusOf(records), isByMeaning: true }
    const found = (query: string) => answerQuestion(asking(query, records, { corpus })).outcome === 'answered'
    expect(found('Which felines joined somebody?')).toBe(true)
    expect(ask('Which felines joined somebody?').outcome).not.toBe('answered')
    expect(found('Which felines joined Zora Quill?')).toBe(false)
  })

  it('may ask for more than the records state', () => {
    expect(ask('What is the gateway limit since the outage, and which penguin admired the zeppelin?').outcome).toBe(
      'answered',
    )
  })

  it('may ask only for times and counts', () => {
    expect(ask('Recap the last two weeks.').outcome).toBe('answered')
    expect(ask('How many in 2019, and how many in 2020?').outcome).toBe('answered')
  })

  it('is never refused when the first record has its own words', () => {
    expect(ask('What is the gateway limit since the outage?').outcome).toBe('answered')
  })

  it('is one that asks for nothing in particular, or of which nothing is known beside its records', () => {
    expect(ask('What happened last week?').outcome).toBe('answered')
    expect(answerQuestion(asking('Who is Kubernetes?', records)).outcome).toBe('answered')
  })
})
