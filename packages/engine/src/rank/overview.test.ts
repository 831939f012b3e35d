import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash } from '../text/names.ts'
import { createRecordGraph } from './record-graph.ts'

const DAY_MS = 86_400_000

/** Creates a graph of notes with these texts, one day apart. */
function graphOf(texts: readonly string[]) {
  const graph = createRecordGraph()
  for (const [at, text] of texts.entries()) {
    const base = { sourceId: 's', projectId: null, type: 'note', occurredAtMs: at * DAY_MS, tie: at, externalKey: at }
    graph.putRecord({ ...base, id: `rec_${at}`, analysis: analyseRecord({ text, declared: [] }, hash) })
  }
  return graph
}

test('the first record may be the oldest, and the newest', () => {
  expect(graphOf(['One.', 'Two.', 'Three.']).overview(null)).toMatchObject({ oldest: 'rec_0', newest: 'rec_2' })
  expect(graphOf(['One.']).overview(null)).toMatchObject({ oldest: 'rec_0', newest: 'rec_0' })
  expect(graphOf([]).overview(null)).toMatchObject({ oldest: undefined, newest: undefined, records: 0 })
})

test('equally frequent names are listed together or not at all', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const names = letters.flatMap((one) => ['a', 'o'].map((other) => `${one}${other}ndar`))
  const written = (name: string) => `We met ${name[0]!.toUpperCase()}${name.slice(1)} there.`
  const texts = [0, 1, 2].flatMap(() => names.map(written))
  const often = [0, 1, 2, 3].map(() => 'We met Quillmoor there.')
  expect(
    graphOf([...texts, ...often])
      .overview(null)
      .names.map(({ records }) => records),
  ).toEqual([4])
  expect(graphOf([...texts.slice(0, 5), ...often]).overview(null).names).toHaveLength(1)
})

test('a long record is one, however many passages it is ranked by, and none once it is removed', () => {
  const long = 'The harbour office keeps a ledger of all the ships that came in. '.repeat(400)
  const graph = graphOf([long, 'Two.'])
  expect(graph.overview(null)).toMatchObject({ records: 2, parts: [{ records: 2 }] })
  graph.removeRecord('rec_0')
  expect(graph.overview(null)).toMatchObject({ records: 1, parts: [{ records: 1 }] })
})
