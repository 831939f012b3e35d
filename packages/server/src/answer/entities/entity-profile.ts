import type { Entity, EntityProfile, EntityRelation, Id, ToldStatement } from '@cairnstore/contract'
import { shorten, tellThings, tokensOf } from '@cairnstore/engine/compose'
import { dayOf, plainLine, predicateWords, writeDay } from '@cairnstore/engine/text'
import type { Ground } from '../../store/ground.ts'
import type { SandboxView } from '../../store/sandbox-view.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { Ctx } from '../context.ts'
import { knownThing } from './known-thing.ts'

const TOKENS = 250
const ALIASES_MAX = 4
const FIELDS_MAX = 12
const VALUE_CHARS_MAX = 160
const FORMER_MAX = 4
const LATEST_MAX = 5
const RECORDS_PER_LINE = 5

/**
 * What is known of an entity in a few lines, each with its records: what it is, what holds of it and is open with it,
 * what changed last. A line that does not fit is left out. Throws not_found for one that the scope does not know.
 */
export async function entityProfile(
  ctx: Pick<Ctx, 'clock' | 'sql'>,
  reach: Reach,
  opened: { ground: Ground; view: SandboxView },
  id: string,
  tokensMax: number = TOKENS,
): Promise<EntityProfile> {
  const { thing, entity } = await knownThing(ctx, reach, opened, id, ctx.clock.now().getTime())
  const known = tellThings([thing], { asksWork: false, isDetailed: true, maxTokens: Number.POSITIVE_INFINITY })
  const held = (known?.statements ?? []).map(({ text, recordIds }) => ({ text, record_ids: [...recordIds] }))
  const [first, ...others] = [...held, counted(entity), ...besides(entity)]
  const told = [{ ...first!, text: shorten(first!.text, tokensMax) }]
  let used = tokensOf(told[0]!.text)
  for (const line of others) {
    const size = tokensOf(`\n${line.text}`)
    if (used + size > tokensMax) continue
    used += size
    told.push(line)
  }
  const text = told.map((line) => line.text).join('\n')
  return {
    sandbox_id: reach.sandboxId as Id<'sandbox'>,
    canonical_id: entity.canonical_id,
    name: entity.name,
    type: entity.type,
    text,
    tokens: Math.ceil(tokensOf(text)),
    statements: told,
  }
}

/** What is told beside what holds, in the order of its use. */
function besides(entity: Entity): ToldStatement[] {
  const former = entity.relations.filter(({ is_current }) => !is_current).sort(latestFirst)
  return [
    ...latest(entity),
    ...former.slice(0, FORMER_MAX).map(formerLine),
    ...fields(entity, 'property'),
    ...fields(entity, 'identifier'),
  ]
}

function counted({ name, names, type, record_count, records, evidence }: Entity): ToldStatement {
  const aliases = names.filter((each) => each !== name).slice(0, ALIASES_MAX)
  const also = aliases.length > 0 ? `, also ${aliases.map(plainLine).join(', ')}` : ''
  const count = `in ${record_count} record${record_count === 1 ? '' : 's'}`
  const naming = evidence.filter(({ kind }) => kind === 'name').flatMap(({ record_ids }) => record_ids)
  const ids = naming.length > 0 ? naming : records.map(({ record_id }) => record_id)
  return {
    text: `${plainLine(name)} (${type.replaceAll('_', ' ')})${also}; ${count}.`,
    record_ids: [...new Set(ids)].slice(-RECORDS_PER_LINE),
  }
}

function fields({ evidence }: Entity, wanted: 'property' | 'identifier'): ToldStatement[] {
  return evidence
    .filter(({ kind }) => kind === wanted)
    .flatMap(({ key, value, record_ids }) => {
      const said = [value].flat().filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
      const text = plainLine(said.join(', '))
      const isTold = text !== '' && text.length <= VALUE_CHARS_MAX
      return isTold ? [{ text: `${key.replaceAll('_', ' ')}: ${text}`, record_ids }] : []
    })
    .slice(0, FIELDS_MAX)
}

function formerLine(relation: EntityRelation): ToldStatement {
  const { predicate, direction, name, valid_from, valid_to, record_id, superseded_by } = relation
  const words = predicateWords(predicate)
  const other = plainLine(name)
  const stated = direction === 'out' ? `${words} ${other}` : `${other} ${words} it`
  const times = [valid_from && `since ${written(valid_from)}`, valid_to && `until ${written(valid_to)}`].filter(Boolean)
  return {
    text: `no longer: ${stated}${times.length > 0 ? ` (${times.join(', ')})` : ''}`,
    record_ids: [record_id, superseded_by].flatMap((id) => id ?? []),
  }
}

function latestFirst(one: EntityRelation, other: EntityRelation): number {
  const [left, right] = [one, other].map(({ valid_from, stated_at }) => valid_from ?? stated_at ?? '')
  return left! > right! ? -1 : left! < right! ? 1 : one.name < other.name ? -1 : 1
}

/** The records that happened last, each in a line. */
function latest({ records }: Entity): ToldStatement[] {
  return records
    .flatMap(({ record_id, title, type, occurred_at }) =>
      occurred_at ? [{ record_id, title, type, occurred_at }] : [],
    )
    .sort((one, other) => (one.occurred_at > other.occurred_at ? -1 : one.occurred_at < other.occurred_at ? 1 : 0))
    .slice(0, LATEST_MAX)
    .map(({ record_id, title, type, occurred_at }) => {
      const kind = (type ?? 'record').replaceAll('_', ' ')
      const text = `${written(occurred_at)}: ${title ? `${plainLine(title)} (${kind})` : kind}`
      return { text, record_ids: [record_id] }
    })
}

function written(moment: string): string {
  return writeDay(dayOf(Date.parse(moment)))
}
