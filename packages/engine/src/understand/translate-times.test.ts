import { describe, expect, it } from 'vitest'
import { findTimes } from './find-times.ts'
import { translateTimes } from './translate-times.ts'

const TODAY = '2026-07-31'
const daysOf = (query: string) =>
  findTimes(query, TODAY)?.ranges.map(({ fromMs, toMs }) => [dayOf(fromMs), dayOf(toMs - 1)].join('/'))
const dayOf = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : '…')

describe('a time in another language', () => {
  it.each([
    ['Was ist letzte Woche passiert?', '2026-07-20/2026-07-26'],
    ['Was geschah am 3. Juni?', '2026-06-03/2026-06-03'],
    ['Was geschah am 03.06.2025?', '2025-06-03/2025-06-03'],
    ['Was wurde im Juni entschieden?', '2026-06-01/2026-06-30'],
    ['Was hat sich seit gestern geändert?', '2026-07-30/…'],
    ['Was wurde vor zwei Wochen beschlossen?', '2026-07-13/2026-07-19'],
    ['Was geschah zwischen dem 3. Juni und dem 10. Juli?', '2026-06-03/2026-07-10'],
    ['Que s’est-il passé la semaine dernière ?', '2026-07-20/2026-07-26'],
    ['Que s’est-il passé le 3 juin 2025 ?', '2025-06-03/2025-06-03'],
    ['Qu’est-ce qui a changé depuis lundi ?', '2026-07-27/…'],
    ['Qui a quitté l’équipe il y a deux mois ?', '2026-05-01/2026-05-31'],
    ['¿Qué pasó la semana pasada?', '2026-07-20/2026-07-26'],
    ['¿Qué se decidió en junio?', '2026-06-01/2026-06-30'],
    ['¿Qué pasó el 3 de junio de 2025?', '2025-06-03/2025-06-03'],
    ['Cosa è successo la settimana scorsa?', '2026-07-20/2026-07-26'],
    ['Cosa è successo il 3 giugno?', '2026-06-03/2026-06-03'],
    ['O que aconteceu na semana passada?', '2026-07-20/2026-07-26'],
    ['O que mudou desde março?', '2026-03-01/…'],
    ['Wat is er vorige week gebeurd?', '2026-07-20/2026-07-26'],
    ['Wat veranderde er na 3 juni?', '2026-06-04/…'],
    ['Was geschah in den letzten drei Wochen?', '2026-07-10/2026-07-31'],
  ])('%s', (query, days) => {
    expect(daysOf(query)).toEqual([days])
  })

  it('is read twice where there are two, and leaves the rest of the question', () => {
    const asked = findTimes('Was geschah im Mai und was geschah gestern?', TODAY)
    expect(asked?.ranges).toHaveLength(2)
    expect(asked?.rest).not.toMatch(/Mai|gestern/)
  })

  it.each([
    'Who is de Vries?',
    'Wer leitet die Buchhaltung?',
    'Combien coûte la formation ?',
    'Which semana release is a candidate?',
    'What changed in 2.10?',
    'Who directed a 2010 film?',
  ])('is none in: %s', (query) => {
    expect(findTimes(query, TODAY)).toBeUndefined()
  })

  it('is not looked for in a long text, and costs little in a hostile one', () => {
    expect(translateTimes(`${'gestern '.repeat(200)}`)).toEqual([])
    for (const part of ['3. ', 'vor zwei ', 'in den ', 'de 3 de ', '1.1.', 'entre 3 de junio y '])
      expect(translateTimes(part.repeat(80).slice(0, 1_000)).length).toBeLessThan(400)
  })
})
