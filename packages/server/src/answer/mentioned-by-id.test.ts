import { declarationsOf, type NamedEntity } from '@cairnstore/engine/resolve'
import { expect, test } from 'vitest'
import { withNamesOfIds } from './mentioned-by-id.ts'

test('people and channels mentioned by id are shown by their current names', () => {
  const person = (id: string) => ({ type: 'person', name: id, identifiers: { id } })
  const content = {
    ...{ external_id: 'm', type: 'message', participants: [person('U07'), person('U08')] },
    entities: [{ type: 'channel', name: 'C9', identifiers: { id: 'C9' } }],
  }
  const declared = declarationsOf(content, { sourceId: 's', provider: 'slack' })
  const things = declared.map((thing) => ({ thing, entityId: `ent_${thing.names[0]!.text}` }))
  const named = (id: string, name: string): [string, NamedEntity] => [
    `ent_${id}`,
    { canonicalId: `ent_${id}`, name, type: 'person', aliases: [] },
  ]
  const names = new Map([named('U07', 'Karl Obi'), named('U08', 'U08'), named('C9', '#quay')])
  const text = 'Ask @U07 or @U08 in #C9, not @U071 or @here.'
  expect(withNamesOfIds(text, { things }, names)).toBe('Ask @Karl Obi or @U08 in #quay, not @U071 or @here.')
})
