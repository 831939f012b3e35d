import { terms } from '@cairn/engine/text'
import { KINDS_OF_ONE, kindAsked, recordsHolding, timesAsked } from '@cairn/engine/understand'
import type { Ground } from '../store/ground.ts'
import { readNames, readRecords } from '../store/read-records.ts'
import type { SandboxView } from '../store/sandbox-view.ts'

/** A question with the name of what it calls by its kind, and how that was read, as a sentence. */
export interface NamedByKind {
  text: string
  note: string
}

/** The one that is meant is in so many times as many records as the next of its kind. */
const AHEAD_FACTOR = 2
/** Records of a thing in which the words are looked for that say of which it is. */
const RECORDS_READ = 50
const NAME_CHARS_MAX = 40

/**
 * Reads "the outage" as the thing of that kind that records are about, where one is far ahead of all others of it and
 * its records have the words that say of which it is. Undefined when the question names a time, which says it better.
 */
export async function nameByKind(
  query: string,
  referenceDate: string,
  view: SandboxView,
  scope: Ground['scope'],
): Promise<NamedByKind | undefined> {
  const asked = kindAsked(query)
  if (!asked || timesAsked(query, referenceDate)) return undefined
  const { entities } = view.graph.overview(scope)
  const named = await readNames(
    view,
    scope,
    entities.map(({ id }) => id),
  )
  const isKnown = terms(asked.kind).some((term) => recordsHolding(term, view, scope) > 0)
  const ofKind = entities.flatMap(({ id, records }) => {
    const { type, name } = named.get(id) ?? {}
    if (type === undefined || name === undefined) return []
    const isOfIt = isKnown ? type === asked.kind : KINDS_OF_ONE.has(type)
    return isOfIt ? [{ id, records, type, name }] : []
  })
  const [first, second] = ofKind.sort((one, other) => other.records - one.records)
  if (!first || first.name.length > NAME_CHARS_MAX) return undefined
  if (second && first.records < AHEAD_FACTOR * second.records) return undefined
  if (!(await areSaidOf(terms(asked.told), first.id, view, scope))) return undefined
  const { from, kind, said } = asked
  return {
    text: `${query.slice(0, from)}${first.name}${query.slice(from + kind.length)}`,
    note: `“${said}” is read as ${first.name}, the ${first.type} that most records are about.`,
  }
}

/** Whether records of a thing say all of some terms. */
async function areSaidOf(
  told: readonly string[],
  id: string,
  view: SandboxView,
  scope: Ground['scope'],
): Promise<boolean> {
  if (told.length === 0) return true
  const records = await readRecords(view, view.graph.recordsOf(id, scope, RECORDS_READ))
  const said = new Set([...records.values()].flatMap(({ content: { title, text } }) => terms(`${title}\n${text}`)))
  return told.every((term) => said.has(term))
}
