import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const folder = new URL('../decisions/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const records = readdirSync(folder).filter((name) => /^\d{4}-[a-z0-9-]+\.md$/.test(name))
const WORDS_MAX = 250

it('the index lists every decision once, by number and title', () => {
  const rows = [...read('README.md').matchAll(/^\| \[(\d{4})\]\((\S+)\) \| (.+) \|$/gm)]
  const listed = rows.map(([, number = '', file = '', title = '']) => `${file} # ${number} · ${title}`)
  expect(listed).toEqual(records.map((file) => `${file} ${read(file).split('\n', 1)[0]}`))
})

it('a decision has at most 250 words', () => {
  const wordsOf = (name: string) => read(name).split(/\s+/).filter(Boolean).length
  expect(records.filter((name) => wordsOf(name) > WORDS_MAX)).toEqual([])
})
