import type { Phase } from '@cairnstore/contract'
import { type FoundFact, findFacts } from '../facts/find-facts.ts'
import { FIELD_ROLES, isWorkType, phaseOfState, splitCamelCase } from '../lexicon/work.ts'
import { type FoundMention, findMentions } from '../mentions/find-mentions.ts'
import { tokensOf } from '../mentions/tokens.ts'
import { encodeBlocks } from '../text/block.ts'
import { dayOf, isDayOrMoment, MS_PER_DAY } from '../text/civil-date.ts'
import { predicateWords } from '../text/kinds.ts'
import { normaliseName } from '../text/names.ts'
import { normaliseType } from './declarations.ts'
import { isOfUnnamedUser, isUnnamedUser, UNNAMED_USER } from './mentioned.ts'
import {
  type EntityReference,
  FIELD_NAMES,
  type FieldName,
  type RecordContent,
  type Relation,
  type StoredContent,
  type TextFact,
} from './record-content.ts'

/** Selects the extraction steps for plain texts. */
export interface ExtractionOptions {
  readonly names: boolean
  /** True to extract facts. Facts refer to names, so none are extracted without `names`. */
  readonly facts: boolean
}

/**
 * Returns the record with text blocks, mentions, facts and fields derived from properties, ready to be stored. A
 * storage-only record is unchanged. Mentions and facts are extracted only if `extract` says so.
 */
export function enrichContent<T extends RecordContent>(record: T, extract: ExtractionOptions): T {
  const { text, storage_only: isStoredOnly } = record
  if (isStoredOnly) return record
  const content = withFields(record)
  if (!text) return content
  const { blocks: _, ...named } = extract.names ? withMentions(content, text, extract.facts) : content
  return { ...(named as T), blocks: encodeBlocks(text) }
}

/** Adds to a stored record what `enrichContent` would add today, for reindexing. Stored mentions and facts are kept. */
export function reenrichContent<T extends StoredContent>(stored: T): T {
  const { mentions, facts, provider, ...record } = stored
  const { blocks, ...content } = enrichContent<RecordContent>(record, NOTHING)
  const read = {
    ...content,
    ...(mentions && { mentions }),
    ...(facts && { facts }),
    ...(blocks !== undefined && { blocks }),
  }
  return { ...read, provider } as T
}

const NOTHING: ExtractionOptions = { names: false, facts: false }

function withMentions<T extends RecordContent>(content: T, text: string, readsFacts: boolean): T {
  const tokens = tokensOf(text)
  const labels = new Set(Object.keys(content.properties ?? {}).map((label) => normaliseName(splitCamelCase(label))))
  const mentions = findMentions(text, tokens).filter(({ name }) => !labels.has(normaliseName(name)))
  const facts = readsFacts ? factsOf(content, findFacts(text, mentions, factContextOf(content), tokens)) : []
  const bare = content.mentions || content.facts ? withoutExtractions(content) : content
  if (mentions.length === 0 && facts.length === 0) return bare
  const named = mentions.map((each: FoundMention) => [each.start, each.end, each.type, each.confidence] as const)
  if (facts.length === 0) return { ...bare, mentions: named }
  return mentions.length === 0 ? { ...bare, facts } : { ...bare, mentions: named, facts }
}

/** Removes mentions and facts. They may come from a client or belong to an earlier text. */
function withoutExtractions<T extends RecordContent>({ mentions: _, facts: __, ...rest }: T): T {
  return rest as T
}

/** Returns the speaker of a text. A text by an assistant has none, because its "I" is not a person. */
function speakerOf(content: RecordContent): EntityReference | undefined {
  const { author, properties } = content
  if (isOfUnnamedUser(content)) return UNNAMED_USER
  const isAgent = typeof author === 'object' && normaliseType(author.type ?? 'person') !== 'person'
  return isAgent || properties?.role === 'assistant' ? undefined : author
}

/** Returns the project or product that a record is declared to be about, if there is exactly one. */
function aboutOf({ entities = [] }: RecordContent): EntityReference | undefined {
  const things = entities.filter((each) => typeof each === 'object' && ABOUT.has(normaliseType(each.type ?? '')))
  return things.length === 1 ? things[0] : undefined
}

const ABOUT: ReadonlySet<string> = new Set(['project', 'product'])

function factContextOf(content: RecordContent) {
  const { occurred_at: at } = content
  const isSpeakerKnown = speakerOf(content) !== undefined
  return { isSpeakerKnown, isAboutKnown: aboutOf(content) !== undefined, ...(at && { today: dayOf(Date.parse(at)) }) }
}

/** Converts facts of the text to relations. Relations that the record declares itself are left out. */
function factsOf(content: RecordContent, found: readonly FoundFact[]): TextFact[] {
  const known = new Set((content.relations ?? []).map(keyOf))
  return found.flatMap(({ subject, predicate, object, since, until, start, end, confidence }): TextFact[] => {
    const reference =
      subject.kind === 'named' ? subject.name : subject.kind === 'speaker' ? speakerOf(content) : aboutOf(content)
    if (reference === undefined) return []
    const times = {
      ...(since !== undefined && { valid_from: new Date(since * MS_PER_DAY).toISOString() }),
      ...(until !== undefined && { valid_to: new Date(until * MS_PER_DAY).toISOString() }),
    }
    const relation: Relation = { subject: bare(reference), predicate, object, ...times }
    if (known.has(keyOf(relation))) return []
    known.add(keyOf(relation))
    return [{ ...relation, start, end, confidence }]
  })
}

/** Reduces a reference to type and name. These identify the declaration in the record. */
function bare(reference: EntityReference): EntityReference {
  if (typeof reference === 'string' || isUnnamedUser(reference)) return reference
  return { ...(reference.type && { type: reference.type }), name: reference.name }
}

function keyOf({ subject, predicate, object }: Relation): string {
  const [one, other] = [subject, object].map((end) => normaliseName(typeof end === 'string' ? end : end.name))
  return JSON.stringify([one, predicateWords(predicate), other])
}

export { isUnfinished, phaseOfState } from '../lexicon/work.ts'

/** Property with the tracker's state category. Connectors stored it there before records had a phase. */
const CATEGORY = 'state_type'
const PARTING = /[\s.-]+/gu
const NAME_CHARS_MAX = 120

/**
 * Adds fields derived from properties, unless the record declares them: phase, owner and due date. `basis` marks them
 * as guessed, except a phase from the tracker's category, which is exact.
 */
export function withFields<T extends RecordContent>(content: T): T {
  const { properties } = content
  if (!properties) return content
  const values = textsOf(properties)
  const guessed: Pick<RecordContent, FieldName> = {}
  const category = content.phase ? undefined : phaseOfState(values.get(CATEGORY) ?? '')
  const phase = content.phase ?? category ?? (isWorkType(content.type) ? phaseIn(values) : undefined)
  const owner = content.owner ?? firstOf(values, FIELD_ROLES.owner)
  const due = content.due ?? dayIn(values)
  if (phase && !content.phase && !category) guessed.phase = phase
  if (owner && !content.owner) guessed.owner = owner
  if (due && !content.due) guessed.due = due
  const names = Object.keys(guessed)
  if (names.length === 0) return category ? { ...content, phase: category } : content
  const basis = { ...content.basis, ...Object.fromEntries(names.map((name) => [name, 'guessed' as const])) }
  return { ...content, ...(category && { phase: category }), ...guessed, basis }
}

/** Removes the derived fields and returns the record as its source sent it. */
export function withoutFields<T extends RecordContent>(content: T): T {
  const { basis, ...said } = content
  if (!basis) return content
  for (const name of FIELD_NAMES) if (basis[name]) delete said[name]
  return said as T
}

/** Returns the fields with a short text, by name in snake case. */
function textsOf(fields: Readonly<Record<string, unknown>>): Map<string, string> {
  return new Map(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' && value.trim() !== '' && value.length <= NAME_CHARS_MAX
        ? [[splitCamelCase(name).replace(PARTING, '_').toLowerCase(), value.trim()] as const]
        : [],
    ),
  )
}

function phaseIn(values: ReadonlyMap<string, string>): Phase | undefined {
  for (const name of FIELD_ROLES.state) {
    const phase = phaseOfState(values.get(name) ?? '')
    if (phase) return phase
  }
  return undefined
}

function dayIn(values: ReadonlyMap<string, string>): string | undefined {
  const due = firstOf(values, FIELD_ROLES.due)
  if (due === undefined || !isDayOrMoment(due)) return undefined
  const at = Date.parse(due)
  return Number.isNaN(at) ? undefined : due.includes('T') ? new Date(at).toISOString() : due
}

function firstOf(values: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  return names.map((name) => values.get(name)).find((value) => value !== undefined)
}
