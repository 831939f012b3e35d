import { expect, test } from 'vitest'
import { readAnalysis } from '../rank/analysis-reader.ts'
import { analyseQuestion } from '../understand/analyse-question.ts'
import { analyseRecord } from './analyse-record.ts'
import { plainKeyHash } from './names.ts'

function keysOf(bytes: Uint8Array): Map<number, number> {
  const keys = new Map<number, number>()
  const sink = {
    length: () => {},
    term: () => {},
    key: (hash: number, flags: number) => keys.set(hash, flags & 15),
    entries: () => {},
    entry: () => {},
    turn: () => {},
  }
  readAnalysis(bytes, sink, () => sink)
  return keys
}

const record = {
  title: 'Ledger API outage',
  text: 'Priya Raman fixed NOR-142. Priya Raman wrote src/app.ts.',
  declared: [{ keys: ['email:priya@example.com', 'n:priya raman'], weight: 2 }],
  own: 'key:nor-142',
}

test('the analysis of a record is the same every time', () => {
  expect(analyseRecord(record, plainKeyHash)).toEqual(analyseRecord({ ...record }, plainKeyHash))
})

test('an anchor counts by its weight, other declared keys only by their mentions', () => {
  const keys = keysOf(analyseRecord(record, plainKeyHash))
  expect(keys.get(plainKeyHash('email:priya@example.com'))).toBe(2)
  expect(keys.get(plainKeyHash('n:priya raman'))).toBe(2)
  expect(keys.get(plainKeyHash('key:nor-142'))).toBe(6)
  expect(keys.get(plainKeyHash('n:ledger api outage'))).toBe(0)
})

test('with a secret hash nothing of the text is left in the bytes', () => {
  const secret = (key: string) => plainKeyHash(`secret ${key}`)
  const keys = keysOf(analyseRecord(record, secret))
  expect(keys.has(plainKeyHash('n:priya raman'))).toBe(false)
  expect(keys.has(secret('n:priya raman'))).toBe(true)
})

test('an empty record, one of blanks and a very long one have an analysis', () => {
  expect(keysOf(analyseRecord({ declared: [] }, plainKeyHash)).size).toBe(0)
  expect(keysOf(analyseRecord({ title: ' ', text: '\n', declared: [], own: 'ref:1' }, plainKeyHash)).size).toBe(1)
  const long = analyseRecord({ text: 'Anna Berg met the others. '.repeat(40_000), declared: [] }, plainKeyHash)
  // A long text is analyzed passage by passage, up to the maximum length.
  expect(long.length).toBeLessThan(200_000)
})

test('a question keeps its own terms at full weight and those of its history at less', () => {
  const question = analyseQuestion('who fixed the outage?', ['tell me about the ledger'], plainKeyHash)
  const weight = (term: string) => question.terms.find(({ hash }) => hash === plainKeyHash(`t:${term}`))?.weight
  expect(weight('fix')).toBe(1)
  expect(weight('ledger')).toBeLessThan(1)
})
