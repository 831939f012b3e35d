import { FIELD_ROLES, isPersonType } from '../lexicon/work.ts'
import { dateToken, dayOf, writeDay } from '../text/civil-date.ts'
import { changingEnd } from '../text/kinds.ts'
import { splitSentences } from '../text/sentences.ts'
import { isFirstPerson } from '../text/words.ts'
import type { Brief, BriefEntity, BriefRecord, Citation, Draft } from './brief.ts'
import { withSince } from './facts.ts'
import { renderDrafts } from './fit.ts'
import { clause, isEvent, withDay } from './relations.ts'
import { NAMED_MAX, numberWord } from './shown-count.ts'
import { entityLabel, joinAnd, phaseOf, recordLabel, statusOf, typeWords, withArticle } from './states.ts'
import { countWords, isQuestion } from './traits.ts'

/** A property in plain text with the records that state it. */
export interface KnownField {
  /** Property name in snake case. */
  key: string
  value: string
  recordIds: readonly string[]
}

/** A relation between an entity and another one. */
export interface KnownRelation {
  /** Predicate in words: "assigned to". */
  predicate: string
  /** True if the entity is the subject. */
  isOut: boolean
  other: { name: string; canonicalId?: string }
  fromMs?: number
  recordIds: readonly string[]
  /** Record that describes the other entity, if there is one. */
  own?: BriefRecord
}

/** Knowledge about an entity in scope, valid on the day of the question. */
export interface KnownEntity extends BriefEntity {
  fields: readonly KnownField[]
  /** Current relations. */
  relations: readonly KnownRelation[]
  /** Record that describes the entity. */
  own?: BriefRecord
}

/** Maximum number of characters in which the first sentences are searched. Pictures or notices can precede them. */
const TEXT_CHARS_READ = 8_000
const DETAILS_MAX = 3
/** Limits of a short description: words from the entity's own record, and kinds of relations. */
const SHORT = { words: 25, roles: 2 }
const LONG = { words: 60, roles: 6 }
const CITED_MAX = 10

/**
 * Describes entities: identity, relations and open work. Open work comes first if `asksWork` is set. Returns undefined
 * if only the names are known.
 */
export function renderEntities(
  entities: readonly KnownEntity[],
  { asksWork, isDetailed, maxTokens }: { asksWork: boolean; isDetailed: boolean; maxTokens: number },
): Brief | undefined {
  const described = entities
    .map((entity) => draftsOf(entity, asksWork, isDetailed ? LONG : SHORT))
    .filter((drafts) => drafts.length > 0)
  if (described.length === 0) return undefined
  const drafts = described.flat().map((draft, at): Draft => ({ ...draft, role: 'story', weight: 1 / (at + 1) }))
  return renderDrafts(drafts, maxTokens, (brief) => citationsOf(entities, brief))
}

type EntityStatement = Pick<Draft, 'text' | 'recordIds' | 'computed'>

function draftsOf(entity: KnownEntity, asksWork: boolean, limits: typeof SHORT): EntityStatement[] {
  const own = ownSentences(entity, limits.words)
  const [identity, work, roles] = [identityOf(entity, own), openWith(entity), rolesOf(entity).slice(0, limits.roles)]
  if (identity === undefined && work === undefined && roles.length === 0) return []
  const about = [identity ?? bareIdentity(entity), ownWords(entity, own)].flatMap((each) => each ?? [])
  const open = work ? [work] : []
  return asksWork ? [...open, ...about, ...roles] : [...about, ...roles, ...open]
}

/**
 * Returns "Mira Holt: Head of engineering, team Harbour.". If these fields are missing, returns the beginning of the
 * entity's own record, or its details.
 */
function identityOf(entity: KnownEntity, own: readonly string[]): EntityStatement | undefined {
  const position = fieldOf(entity, FIELD_ROLES.position)
  const group = fieldOf(entity, FIELD_ROLES.group)
  const label = entityLabel(entity)
  if (position) {
    const said = [position.value.replace(/[.\s]+$/, ''), ...(group ? [`${words(group.key)} ${group.value}`] : [])]
    return statementOf(`${label}: ${said.join(', ')}.`, entity, group ? [position, group] : [position])
  }
  const [first] = own
  if (first !== undefined) {
    const text = `${label} (${typeWords(entity.type)}): ${first}`
    return { text, recordIds: [entity.own!.id], computed: `type of ${entity.name} = ${typeWords(entity.type)}` }
  }
  return entity.fields.length > 0 ? bareIdentity(entity) : undefined
}

function bareIdentity(entity: KnownEntity): EntityStatement {
  const fields = entity.fields.slice(0, DETAILS_MAX)
  const details = fields.map(({ key, value }) => `${words(key)} ${value}`)
  const bracket = details.length > 0 ? ` (${details.join(', ')})` : ''
  return statementOf(`${entityLabel(entity)} is ${withArticle(typeWords(entity.type))}${bracket}.`, entity, fields)
}

function statementOf(text: string, entity: KnownEntity, fields: readonly KnownField[]): EntityStatement {
  const ids = [...fields, ...entity.relations].flatMap(({ recordIds }) => recordIds)
  const own = entity.own ? [entity.own.id] : []
  const given = fields.map(({ key, value }) => `, ${words(key)} = ${value}`).join('')
  return {
    text,
    recordIds: [...new Set([...own, ...(fields.length > 0 ? fields.flatMap(({ recordIds }) => recordIds) : ids)])],
    computed: `${entity.name}: type = ${typeWords(entity.type)}${given}`,
  }
}

/** Returns further sentences of the entity's own record. */
function ownWords(entity: KnownEntity, own: readonly string[]): EntityStatement | undefined {
  const rest = fieldOf(entity, FIELD_ROLES.position) ? own : own.slice(1)
  const text = rest.join(' ')
  return text === '' ? undefined : { text, recordIds: [entity.own!.id] }
}

/** Returns the first sentences of the entity's own record, up to `wordsMax` words; the first person is quoted. */
function ownSentences({ own }: KnownEntity, wordsMax: number): string[] {
  const sentences: string[] = []
  let count = 0
  for (const sentence of splitSentences((own?.text ?? '').slice(0, TEXT_CHARS_READ))) {
    count += countWords(sentence)
    if (isQuestion(sentence) || (count > wordsMax && sentences.length > 0)) break
    sentences.push(isFirstPerson(sentence) ? `“${sentence}”` : sentence)
    if (count > wordsMax) break
  }
  return sentences
}

function fieldOf({ fields }: KnownEntity, keys: readonly string[]): KnownField | undefined {
  return keys.flatMap((key) => fields.find((field) => field.key === key) ?? [])[0]
}

/** Returns a short name for repeated mentions: the shortest alias with which the full name begins. */
function shortLabel(entity: KnownEntity): string {
  const begins = (entity.aliases ?? []).filter(
    (name) => /^[ :]/.test(entity.name.slice(name.length)) && entity.name.startsWith(name),
  )
  const [shortest] = begins.sort((one, other) => one.length - other.length)
  return shortest ?? entityLabel(entity)
}

function words(key: string): string {
  return key.replaceAll('_', ' ')
}

/** Returns current relations with others, outgoing and exclusive ones first. Events are left out. */
function rolesOf(entity: KnownEntity): EntityStatement[] {
  const groups = new Map<string, KnownRelation[]>()
  for (const relation of entity.relations) {
    if (isEvent(relation.predicate) || isWork(relation)) continue
    const key = `${relation.isOut}|${relation.predicate}`
    groups.set(key, [...(groups.get(key) ?? []), relation])
  }
  const isExclusive = (group: readonly KnownRelation[]) => changingEnd(group[0]!.predicate) !== undefined
  return [...groups.values()]
    .sort((one, other) => Number(isExclusive(other)) - Number(isExclusive(one)))
    .sort((one, other) => Number(other[0]!.isOut) - Number(one[0]!.isOut))
    .map((group) => roleOf(entity, group))
}

function roleOf(entity: KnownEntity, group: readonly KnownRelation[]): EntityStatement {
  const named = [...new Set(group.map(({ other }) => other.name))]
  const { predicate, isOut, fromMs } = group[0]!
  const others = joinAnd([
    ...named.slice(0, NAMED_MAX).map((name) => withDay(name, (ms) => dateToken(dayOf(ms)))),
    ...(named.length > NAMED_MAX ? [`${numberWord(named.length - NAMED_MAX)} more`] : []),
  ])
  const since = named.length === 1 && fromMs !== undefined ? dateToken(dayOf(fromMs)) : undefined
  const from = since === undefined ? '' : `, from ${writeDay(dayOf(fromMs!))}`
  const tense = since === undefined ? 'now' : 'since'
  const label = shortLabel(entity)
  const said = isOut
    ? clause(label, predicate, others, tense)
    : clause(others, predicate, label, tense, named.length > 1 ? 'many' : 'one')
  return {
    text: `${since === undefined ? said : withSince(said, since)}.`,
    recordIds: [...new Set(group.flatMap(({ recordIds }) => recordIds))],
    computed: `${entity.name}: ${predicate} ${isOut ? '→' : '←'} ${named.join(', ')}${from}; in words: ${said}`,
  }
}

/** Returns true if a relation assigns work to the entity. Such work is listed with its status instead. */
function isWork({ isOut, own }: KnownRelation): boolean {
  return !isOut && own !== undefined && phaseOf(own) !== 'unknown'
}

/** Renders "Open with Mira Holt: NOR-142 “…” (in progress) and NOR-150 “…”." */
function openWith(entity: KnownEntity): EntityStatement | undefined {
  const works = entity.relations.filter((relation) => isWork(relation) && phaseOf(relation.own!) === 'open')
  const open = [...new Map(works.map(({ own }) => [own!.id, own!])).values()]
  if (open.length === 0) return undefined
  const labels = open.slice(0, NAMED_MAX).map((record) => {
    const status = statusOf(record)
    return `${recordLabel(record)}${status && !/^open$/i.test(status) ? ` (${status})` : ''}`
  })
  if (open.length > NAMED_MAX) labels.push(`${numberWord(open.length - NAMED_MAX)} more`)
  const place = isPersonType(entity.type) ? 'with' : 'in'
  return {
    text: `Open ${place} ${shortLabel(entity)}: ${joinAnd(labels)}.`,
    recordIds: open.slice(0, NAMED_MAX).map(({ id }) => id),
    computed: `open by status ${place} ${entity.name}: ${numberWord(open.length)} (${open.length})`,
  }
}

/** Returns the entities, followed by the related entities that the brief names. */
function citationsOf(entities: readonly KnownEntity[], brief: string): Citation[] {
  const relations = entities.flatMap((entity) => entity.relations)
  const named = relations.flatMap(({ other, own }) => {
    const label = own && recordLabel(own)
    const at = Math.max(brief.indexOf(other.name), label === undefined ? -1 : brief.indexOf(label))
    return at < 0 || other.canonicalId === undefined ? [] : { id: other.canonicalId, name: other.name, at }
  })
  const cited = new Map(entities.map(({ canonicalId, name }) => [canonicalId, name]))
  for (const { id, name } of named.sort((one, other) => one.at - other.at)) if (!cited.has(id)) cited.set(id, name)
  return [...cited].slice(0, CITED_MAX).map(([canonical_id, name]) => ({ canonical_id, name, relevance: 1 }))
}
