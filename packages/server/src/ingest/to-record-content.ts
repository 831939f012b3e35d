import { RECORD_LIMITS, type RecordInput, type Reference } from '@cairnstore/contract'
import type { FieldName, RecordContent, ThingReference } from '@cairnstore/engine/resolve'
import { instantOf } from '../base/clock.ts'

/** The record as it is stored: without nulls and without fields that the contract does not know. */
export function toRecordContent(input: RecordInput): RecordContent {
  return {
    external_id: input.external_id,
    type: input.type,
    ...(input.title && { title: input.title }),
    ...(input.text && { text: input.text }),
    ...(input.url && { url: input.url }),
    ...(input.occurred_at && { occurred_at: utc(input.occurred_at) }),
    ...(input.author && { author: toReference(input.author) }),
    ...(input.participants?.length && { participants: input.participants.map(toReference) }),
    ...(input.entities?.length && { entities: input.entities.map(toReference) }),
    ...(input.relations?.length && { relations: input.relations.map(toRelation) }),
    ...(input.properties && { properties: input.properties }),
    ...fieldsOf(input),
    ...(input.locators?.length && { locators: input.locators.map(({ start, locator }) => ({ start, locator })) }),
  }
}

/** The fields that a source declares. What an export says was read of the text or guessed is read anew. */
function fieldsOf({ phase, owner, due, kind, basis }: RecordInput) {
  const isDeclared = (name: FieldName) => (basis?.[name] ?? 'source') === 'source'
  return {
    ...(phase && isDeclared('phase') && { phase }),
    ...(owner && isDeclared('owner') && { owner: toReference(owner) }),
    ...(due && isDeclared('due') && { due: DAY.test(due) ? due : utc(due) }),
    ...(kind && isDeclared('kind') && { kind: kind.trim() }),
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** The same instant, printed in UTC; the record's check has seen that it is one. */
function utc(time: string): string {
  return instantOf(time)!.toISOString()
}

function toRelation(relation: NonNullable<RecordInput['relations']>[number]) {
  return {
    subject: toReference(relation.subject),
    predicate: relation.predicate,
    object: toReference(relation.object),
    ...(relation.valid_from && { valid_from: utc(relation.valid_from) }),
    ...(relation.valid_to && { valid_to: utc(relation.valid_to) }),
  }
}

function toReference(reference: Reference): ThingReference {
  if (typeof reference === 'string') return reference
  const identifiers = identifiersOf(reference)
  return {
    name: reference.name,
    ...(reference.type && { type: reference.type }),
    ...(reference.aliases?.length && { aliases: reference.aliases }),
    ...(identifiers && { identifiers }),
    ...(reference.properties && { properties: reference.properties }),
  }
}

/** Its identifiers, with the address that stands beside them. */
function identifiersOf({ email, identifiers }: Exclude<Reference, string>) {
  if (!email) return identifiers
  const others = [identifiers?.email ?? []].flat().filter((address) => address !== email)
  // What an export writes can be imported, so there are no more of them than a record may have.
  return { ...identifiers, email: others.length > 0 ? [email, ...others].slice(0, RECORD_LIMITS.aliases) : email }
}
