import { expect, test } from 'vitest'
import { analyseRecord } from '../text/analyse-record.ts'
import { plainKeyHash as hash, nameKey, namePartKeys } from '../text/names.ts'
import { countRecordsWith } from '../understand/known-words.ts'
import { nameOccurs } from './occurrences.ts'
import { createRecordGraph } from './record-graph.ts'
import type { Scope } from './scope-view.ts'

const RECORDS = [
  { text: 'The heron nests behind the mill.', names: ['Lotte Brandis', 'Lotti'], project: 'prj_open' },
  { text: 'Saskia Vroom counted the eggs.', names: ['Field Team 7'], project: 'prj_open' },
  { text: 'The otter is back.', names: ['Emre Aksoy'], project: 'prj_hidden' },
]
const graph = createRecordGraph()
for (const { text, names, project } of RECORDS) {
  const declared = names.map((name) => ({ keys: [nameKey(name), ...namePartKeys(name)] }))
  graph.putRecord({
    id: text,
    sourceId: 's',
    projectId: project,
    type: 'note',
    occurredAtMs: null,
    tie: hash(text),
    externalKey: hash(`ref:${text}`),
    analysis: analyseRecord({ text, declared }, hash),
  })
}
const open: Scope = { projectId: 'prj_open', sourceIds: null }
const occurs = (name: string, scope: Scope | null = open) => nameOccurs(name, { graph, hash }, scope)

test.each(['Lotte Brandis', 'Brandis', 'lotti', 'Lotte', 'Saskia', 'Saskia Vroom', 'Field Team 7'])(
  'a name occurs that a text, an author or an alias has, also by one of its words: %s',
  (name) => expect(occurs(name)).toBe(true),
)

test.each(['Brnadis', 'Lotte Brandiss', 'Saksia Vroom'])('a near spelling occurs: %s', (name) =>
  expect(occurs(name)).toBe(true),
)

test.each(['Ivo Lind', 'Lotte Lind', 'Branton'])('a name with a word that nothing in scope has does not: %s', (name) =>
  expect(occurs(name)).toBe(false),
)

test('what is out of scope is not given away', () => {
  for (const name of ['Emre Aksoy', 'Aksoy', 'Aksyo', 'otter']) {
    expect(occurs(name, null)).toBe(true)
    expect(occurs(name)).toBe(false)
  }
})

test('a word of a declared name counts as one record', () => {
  expect(countRecordsWith('brandi', { graph, hash }, open)).toBe(1)
  expect(countRecordsWith('aksoi', { graph, hash }, open)).toBe(0)
})
