import { readdirSync, readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, it, test } from 'vitest'
import { anyOf, entriesOf, type Written } from './entries.ts'
import { LANGUAGES, MONTH_NAMES, MONTH_NUMBERS, numberOf, WEEKDAYS } from './languages.ts'
import { isMessenger } from './work.ts'

const folder = new URL('.', import.meta.url)
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))

const LINE = '[^\\s,](?:[^,]*[^\\s,])?'
/** Entries separated by a comma and a space, on one line or several. */
const line = Type.String({ pattern: `^${LINE}(?:, ${LINE})*$` })
const list = Type.Union([line, Type.Array(line, { minItems: 1 })])
const english = read('en.json') as Record<string, Written>
const times = ['timePhrases', 'timeUnits', 'timeNumbers', 'dayNames', 'dateArticles', 'dateLinks']
const ideas = [...Object.keys(english), 'endings', 'asksNoYesNo', 'beforeOrdinals', 'monthStarts', ...times]
const language = Type.Object(Object.fromEntries(ideas.map((idea) => [idea, Type.Optional(list)])), {
  additionalProperties: false,
})
const languages = files.filter((name) => /^[a-z]{2}\.json$/.test(name))

/** Returns the lists in a file at any depth. */
function listsIn(held: unknown): Written[] {
  if (typeof held === 'string' || (Array.isArray(held) && held.every((each) => typeof each === 'string'))) return [held]
  return Object.values(held as object).flatMap(listsIn)
}

it.each(files)('%s holds lists of entries parted by commas', (name) => {
  for (const each of listsIn(read(name))) expect([...Value.Errors(list, each)]).toEqual([])
})

describe('a language', () => {
  it.each(languages)('%s has lists for the ideas that English has, and how its words end', (name) => {
    expect([...Value.Errors(language, read(name))]).toEqual([])
  })

  it('is read when its file is there', () => {
    const written = languages.map((name) => JSON.stringify(read(name))).sort()
    expect(LANGUAGES.map((each) => JSON.stringify(each)).sort()).toEqual(written)
  })

  it.each(languages)('%s has twelve months or none, and no entry twice', (name) => {
    const { months } = read(name) as { months?: Written }
    expect([0, 12]).toContain(entriesOf(months).length)
    for (const each of listsIn(read(name))) expect(new Set(entriesOf(each)).size).toBe(entriesOf(each).length)
  })
})

test('the calendar is whole', () => {
  expect([MONTH_NAMES.length, WEEKDAYS.length]).toEqual([12, 7])
  expect(new Map(MONTH_NUMBERS).get('März')).toBe(3)
  const numbers = new Map<string, number>()
  for (const [name, number] of MONTH_NUMBERS) expect(numbers.get(name) ?? number).toBe(number)
})

test('a number is read in words and digits', () => {
  expect(['a', 'One', 'eight', 'twelve', '30'].map(numberOf)).toEqual([1, 1, 8, 12, 30])
  expect(numberOf('several')).toBeNaN()
})

test('a pattern takes the longest entry, and further letters for a star', () => {
  expect(new RegExp(anyOf(['jan', 'january'], ['mein*'])).exec('january')?.[0]).toBe('january')
  expect(new RegExp(`^${anyOf(['mein*'])}$`).test('meinem')).toBe(true)
})

test('a product is known for one in which people write to each other', () => {
  expect(['slack', 'google_mail', 'jira', undefined].map(isMessenger)).toEqual([true, true, false, false])
})
