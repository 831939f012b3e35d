import { type Problem, RECORD_LIMITS, RecordInput, type Reference } from '@cairnstore/contract'
import type { EntityReference, FieldName, RecordContent } from '@cairnstore/engine/resolve'
import { checkFirst } from '../base/check.ts'
import { instantOf } from '../base/clock.ts'

/** Returns the record in the form in which it is stored, without nulls and unknown fields. */
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

/** Returns the declared fields. Those that an export marks as extracted or guessed are extracted again. */
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

/** Returns the same instant in UTC. The time has been validated before. */
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

function toReference(reference: Reference): EntityReference {
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

/** Returns the identifiers, including the separate email address. */
function identifiersOf({ email, identifiers }: Exclude<Reference, string>) {
  if (!email) return identifiers
  const others = [identifiers?.email ?? []].flat().filter((address) => address !== email)
  // An export must be importable, so the limit for records is applied here too.
  return { ...identifiers, email: others.length > 0 ? [email, ...others].slice(0, RECORD_LIMITS.aliases) : email }
}

const check = checkFirst(RecordInput, [])

/** Returns the reason why a value is not a valid record; undefined if it is valid. Never quotes the value. */
export function checkRecord(value: unknown): { reason: string; detail: string; external_id?: string } | undefined {
  const problem = check(value)[0] ?? timeProblem(value as RecordInput) ?? locatorProblem(value as RecordInput)
  if (!problem) return undefined
  const path = problem.loc.join('.')
  return {
    reason: problem.type,
    detail: path ? `${path}: ${problem.msg}` : problem.msg,
    ...externalIdOf(value),
  }
}

/** Checks that times are in the years 0001 to 9999 in UTC. Others cannot be written as RFC 3339. */
function timeProblem({ occurred_at: at, due, relations }: RecordInput): Problem | undefined {
  const times: [string, string | null | undefined][] = [
    ['occurred_at', at],
    ['due', due],
  ]
  for (const relation of relations ?? [])
    times.push(['relations', relation.valid_from], ['relations', relation.valid_to])
  const wrong = times.find(([, time]) => time && !instantOf(time))
  return wrong && { loc: [wrong[0]], msg: 'Must be a time in the years 0001 to 9999 (UTC).', type: 'out_of_range' }
}

/** Checks that locators are in order and within the text. Otherwise they belong to a different text. */
function locatorProblem({ text, locators }: RecordInput): Problem | undefined {
  if (!locators?.length) return undefined
  const isInOrder = locators.every(({ start }, at) => at === 0 || start > locators[at - 1]!.start)
  if (isInOrder && locators.at(-1)!.start <= (text?.length ?? 0)) return undefined
  return { loc: ['locators'], msg: 'Must ascend by `start`, within `text`.', type: 'out_of_range' }
}

/** Returns the record's external id if it is valid. It helps users to find the record. */
function externalIdOf(value: unknown): { external_id?: string } {
  const id = (value as { external_id?: unknown } | null)?.external_id
  return typeof id === 'string' && check({ external_id: id, type: 'record' }).length === 0 ? { external_id: id } : {}
}
