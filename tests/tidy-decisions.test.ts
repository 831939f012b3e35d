import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** The index of decisions, held to the records. */
const folder = new URL('../decisions/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const records = readdirSync(folder).filter((name) => /^\d{4}-[a-z0-9-]+\.md$/.test(name))
const rows = [...read('README.md').matchAll(/^\| \[(\d{4})\]\((\S+)\) \| (.+) \| (.+) \|$/gm)].map(
  ([, number = '', file = '', title = '', status = '']) => ({ number, file, title, status }),
)
const linkedIn = (text: string) => [...text.matchAll(/\[\d{4}\]\((\d{4}-[a-z0-9-]+\.md)\)/g)].map(([, file]) => file)

describe('decisions', () => {
  it('the index lists every record once, by its number, under its title', () => {
    const told = records.map((file) => `${file} ${read(file).split('\n', 1)[0]}`)
    expect(rows.map(({ number, file, title }) => `${file} # ${number} · ${title}`)).toEqual(told)
  })

  it('a record stands, or is overtaken by records that its second paragraph links to', () => {
    const MARKS: Record<string, string> = { 'in part overtaken': 'Overtaken in part', overtaken: 'Overtaken' }
    for (const { file, status } of rows) {
      const [kind = '', by = ''] = status.split(' by ')
      const [, second = ''] = read(file).split('\n\n')
      const mark = /^\*\*(Overtaken(?: in part)?):\*\*/.exec(second)?.[1]
      expect(kind, file).toBe(Object.keys(MARKS).find((each) => MARKS[each] === mark) ?? 'stands')
      if (mark) expect(linkedIn(second), file).toEqual(linkedIn(by))
      expect(
        linkedIn(by).filter((newer) => !records.includes(newer ?? '')),
        file,
      ).toEqual([])
    }
  })
})
