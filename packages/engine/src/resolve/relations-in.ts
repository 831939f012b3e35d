import type { RecordContent, Relation } from './record-content.ts'

/** What a record states of things: what it declares, then what its text says. */
export function relationsIn({ relations = [], facts = [] }: RecordContent): readonly Relation[] {
  return facts.length === 0 ? relations : [...relations, ...facts]
}
