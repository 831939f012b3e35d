import { describe, expect, it } from 'vitest'
import { type FoundMention, findMentions, MENTIONS_MAX } from './find-mentions.ts'

const named = (text: string) => findMentions(text).map(({ name, type }) => `${name}: ${type}`)
const names = (text: string) => findMentions(text).map(({ name }) => name)

describe('mentions', () => {
  it('are the names in a text with what they are of', () => {
    expect(named('Katherine Johnson computed the Friendship 7 trajectory for John Glenn at Langley.')).toEqual([
      'Katherine Johnson: person',
      'Friendship 7: thing',
      'John Glenn: person',
      'Langley: thing',
    ])
    expect(named('After INC-7 the Bank of England hired Dr. O’Brien from Fjord Foods Ltd in Lyon.')).toEqual([
      'INC-7: incident',
      'Bank of England: organization',
      'O’Brien: person',
      'Fjord Foods Ltd: organization',
      'Lyon: place',
    ])
    expect(named('We run it on PostgreSQL for Project Lookout.')).toEqual([
      'PostgreSQL: thing',
      'Project Lookout: project',
    ])
  })

  it('have correct UTF-16 offsets, whatever text precedes them', () => {
    const text = '😀 café ﬁn — we met Zoë Brandão’s team, and Søren.'
    const found = findMentions(text)
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(['Zoë Brandão', 'Søren'])
    expect(found.map(({ name }) => name)).toEqual(['Zoë Brandão', 'Søren'])
    for (const { confidence } of found) expect(confidence).toBeGreaterThan(0.5)
  })

  it('are not the words that open a sentence, greet, count days or shout', () => {
    expect(names('Thanks Melanie! Painting helps. Yesterday it rained. See you on Monday, OK?')).toEqual(['Melanie'])
    expect(names('THIS IS NOT FUNNY AT ALL. WHY WOULD YOU DO THAT')).toEqual([])
    expect(names('I think I will. It’s Christmas in the French way.')).toEqual([])
    expect(names('The Quarterly Report And The Plan')).toEqual([])
  })

  it('are no part of addresses, paths, keys and code', () => {
    const text = 'see https://Foo.Example.com/Bar, Src/Main.ts, Ada@Example.com, #Random, @Sam and NOR-139'
    expect(names(text)).toEqual([])
  })

  it('at the start of a sentence need something that speaks for them', () => {
    expect(names('Tidewell replied late. We like Tidewell.')).toEqual(['Tidewell', 'Tidewell'])
    expect(names('Freight arrived late.')).toEqual([])
    expect(names('A tidewell is a well. Our Tidewell.')).toEqual([])
  })

  it('are acronyms that open a sentence, before a verb or where the text has them elsewhere', () => {
    expect(names('KVBL rejected the tender.')).toEqual(['KVBL'])
    expect(names('KVBL is late. We wrote to KVBL.')).toEqual(['KVBL', 'KVBL'])
    expect(names('NOTE: sweep the yard. NOTE the new hours.')).toEqual([])
  })

  it('are no units and amounts', () => {
    expect(names('After the storm we paid Femke 50 EUR and later Anouk 20 USD.')).toEqual(['Femke', 'Anouk'])
    expect(names('The crew of Apollo 11 met Femke.')).toEqual(['Apollo 11', 'Femke'])
  })

  it('are no nouns of a German text, whose every noun has a capital', () => {
    const text = 'Die Lieferung kam am Dienstag mit der Rechnung, und Anna hat sie im Lager mit Herrn Quast geprüft.'
    expect(named(text)).toEqual(['Anna: person', 'Quast: person'])
    expect(names('Wir haben das Angebot von der Quast Logistik GmbH und der KVBL noch nicht.')).toEqual([
      'Quast Logistik GmbH',
      'KVBL',
    ])
  })

  it('are also given names in Cyrillic and Arabic, at any position', () => {
    expect(named('Сергей закрыл склад. Поезд опоздал.')).toEqual(['Сергей: person'])
    expect(named('زار مُحَمَّد المخزن مع فاطمة.')).toEqual(['مُحَمَّد: person', 'فاطمة: person'])
  })

  it('distinguish a place from a person of the same name by the preposition', () => {
    expect(named('Austin called from the office in Austin.')).toEqual(['Austin: person', 'Austin: place'])
  })

  it('never overlap, are in order and bounded, and a hostile text is read to its end', () => {
    const hostile = [
      'Aa '.repeat(65_000),
      'A'.repeat(200_000),
      'Ab-'.repeat(65_000),
      "A'".repeat(100_000),
      'Of of the Of '.repeat(15_000),
      'Ada. '.repeat(40_000),
      `${' '.repeat(100_000)}Ada${'\n'.repeat(95_000)}`,
      'é́'.repeat(65_000),
      '‮Ada '.repeat(40_000),
      '\ud800 Ada '.repeat(30_000),
    ]
    // A quadratic scan of any of these would exceed the test timeout.
    for (const text of hostile) {
      const found = findMentions(text)
      expect(found.length).toBeLessThanOrEqual(MENTIONS_MAX)
      const isWrong = ({ start, end, name }: FoundMention, at: number) =>
        start < (found[at - 1]?.end ?? 0) || name !== text.slice(start, end)
      expect(found.filter(isWrong)).toEqual([])
    }
  })

  it('are the same every time', () => {
    const text = 'Ada Berg moved from Oslo to Lyon; Nordlys AS opened there.'
    expect(findMentions(text)).toEqual(findMentions(text))
  })
})
