import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

interface Asked {
  id: string
  gold: Map<number, number>
}
interface FoundSet {
  name: string
  read(): { name: string; records: unknown[]; questions: Asked[]; measures: { name: string }[] }[]
}
interface Sets {
  findSets(folder: string, names?: string[]): FoundSet[]
  halfOf(questions: Asked[], half: 'all' | 'development' | 'other'): Asked[]
}
interface Interval {
  change: number
  low: number
  high: number
}

// The benchmarks are plain JavaScript without type checking.
const load = <T>(name: string): Promise<T> => import(new URL(`../../bench/${name}.mjs`, import.meta.url).href)
const { findSets, halfOf } = await load<Sets>('sets')
const { pairedChange } = await load<{ pairedChange(before: number[], after: number[]): Interval }>('bootstrap')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-sets-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, lines: unknown[]): void {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')
  writeFileSync(join(folder, path), `${text}\n`)
}

test('question sets are read with the gold records of each question', () => {
  write('deep/hops/corpus.jsonl', [
    { idx: 7, title: 'A', text: 'a' },
    { idx: 9, title: 'B', text: 'b' },
  ])
  write('deep/hops/questions.jsonl', [{ id: 'q', question: 'Which?', answer: 'b', gold_idx: [9] }])
  write('graded/corpus.jsonl', [{ id: 'd', title: '', text: 'd' }])
  write('graded/queries.jsonl', [
    { id: 'one', text: 'd?' },
    { id: 'unjudged', text: 'e?' },
  ])
  write('graded/qrels.tsv', ['one\td\t2', 'unjudged\td\t0'])
  const sets = findSets(folder).flatMap((found) => found.read())
  expect(sets.map(({ name, measures }) => [name, measures[0]?.name])).toEqual([
    ['graded', 'nDCG@10'],
    ['hops', 'R@5'],
  ])
  expect(sets.map(({ questions }) => questions.map(({ id, gold }) => [id, ...gold]))).toEqual([
    [['one', [0, 2]]],
    [['q', [1, 1]]],
  ])
  expect(findSets(folder, ['hop']).map(({ name }) => name)).toEqual(['hops'])
  expect(findSets(join(folder, 'absent'))).toEqual([])
})

test('the halves of a set have every question once, regardless of its other questions', () => {
  const questions = Array.from({ length: 400 }, (_, at) => ({ id: `q${at}`, gold: new Map() }))
  const [development, other] = [halfOf(questions, 'development'), halfOf(questions, 'other')]
  expect([...development, ...other].map(({ id }) => id).sort()).toEqual(questions.map(({ id }) => id).sort())
  expect(development.length).toBeGreaterThan(150)
  expect(development.length).toBeLessThan(250)
  const fewer = questions.filter((_, at) => at % 3 === 0)
  expect(halfOf(fewer, 'development')).toEqual(fewer.filter((question) => development.includes(question)))
})

test('a change in all questions is significant, one that cancels out is not; both results are repeatable', () => {
  const before = Array.from({ length: 100 }, (_, at) => (at % 10) / 10)
  const better = pairedChange(
    before,
    before.map((score) => score + 0.1),
  )
  expect(better.low).toBeCloseTo(0.1)
  expect(better.high).toBeCloseTo(0.1)
  const mixed = before.map((score, at) => score + (at % 2 === 0 ? 0.1 : -0.1))
  const noise = pairedChange(before, mixed)
  expect(noise.low).toBeLessThan(0)
  expect(noise.high).toBeGreaterThan(0)
  expect(pairedChange(before, mixed)).toEqual(noise)
  expect(() => pairedChange([1], [])).toThrow(RangeError)
})
