import { expect, it } from 'vitest'
import { csvOf, fileNameOf } from './csv.ts'

it('cells are quoted where needed, and formulas become texts', () => {
  const rows = [
    ['name', 'value'],
    ['a "b", c', -3],
    ['=1+1', null],
    ['line\nbreak', true],
  ]
  expect(csvOf(rows)).toBe('name,value\r\n"a ""b"", c",-3\r\n"\'=1+1",\r\n"line\nbreak",true\r\n')
})

it('a file name has no separators and is never empty', () => {
  expect(fileNameOf('../a/b: "c"?', 'csv')).toBe('.. a b c.csv')
  expect(fileNameOf('///', 'csv')).toBe('download.csv')
})
