import { isDeepStrictEqual } from 'node:util'
import type { SuggestionState } from '@cairnstore/contract'
import { batchesOf } from '../base/batches.ts'
import type { Clock } from '../base/clock.ts'
import { newId } from '../base/id.ts'
import type { JsonObject } from '../db/json-object.ts'
import { ofSandbox, sandboxColumns } from '../db/of-sandbox.ts'
import type { Tx } from '../db/open.ts'
import type { Row } from '../db/tables.ts'
import type { ContentCipher, KeyChange } from '../tenancy/caller-keys/content-cipher.ts'
import type { SandboxRef } from '../tenancy/sandboxes/assert-writable.ts'
import { decryptEvidence, encryptEvidence } from './merge-ledger.ts'

/** Two entities that may be the same, by the ids of their compared parts. The lower id comes first. */
export interface FoundSuggestion {
  onePart: string
  otherPart: string
  /** Match score from 0 to 1. */
  likelihood: number
  evidence: JsonObject
}

/** The suggestions of a record linkage run, with the clock and key for storing them. */
interface FoundSuggestions {
  found: readonly FoundSuggestion[]
  clock: Clock
  seal: ContentCipher | undefined
}

/** Maximum number of open suggestions per sandbox, the highest match scores first. */
const SUGGESTIONS_MAX = 5_000
/** Rows per statement, to stay below the limit of bound parameters. */
const ROWS_PER_STATEMENT = 500

/**
 * Updates the open suggestions to the result of a record linkage run. Adds new pairs, deletes those no longer found,
 * and keeps users' decisions. New ids are assigned so that the most likely pair has the newest id.
 */
export async function storeSuggestions(
  tx: Tx,
  sandbox: SandboxRef,
  { found, clock, seal }: FoundSuggestions,
): Promise<void> {
  const rows = await suggestionsOf(tx, sandbox).execute()
  const decided = new Set(rows.filter(({ state }) => state !== 'open').map(pairOf))
  const open = new Map(rows.filter(({ state }) => state === 'open').map((row) => [pairOf(row), row]))
  const sorted = found.filter((each) => !decided.has(pairOf(toPair(each))))
  sorted.sort((one, other) => other.likelihood - one.likelihood || (one.onePart < other.onePart ? -1 : 1))
  const stored = new Map(sorted.slice(0, SUGGESTIONS_MAX).map((each) => [pairOf(toPair(each)), each]))
  await deleteRows(
    tx,
    sandbox,
    [...open].flatMap(([pair, { id }]) => (stored.has(pair) ? [] : [id])),
  )
  const added: FoundSuggestion[] = []
  for (const [pair, each] of stored) {
    const row = open.get(pair)
    if (!row) added.push(each)
    else if (
      row.likelihood !== each.likelihood ||
      !isDeepStrictEqual(decryptEvidence(row.id, row.evidence, seal), each.evidence)
    )
      await changeRow(tx, sandbox, row.id, {
        likelihood: each.likelihood,
        evidence: encryptEvidence(row.id, each.evidence, seal),
      })
  }
  await insertRows(tx, sandbox, added.reverse(), { clock, seal })
}

async function insertRows(
  tx: Tx,
  sandbox: SandboxRef,
  added: readonly FoundSuggestion[],
  { clock, seal }: Pick<FoundSuggestions, 'clock' | 'seal'>,
): Promise<void> {
  const now = clock.now()
  const rows = added.map(({ onePart, otherPart, likelihood, evidence }) => {
    const id = newId('suggestion', clock)
    const pair = { one_part: onePart, other_part: otherPart, likelihood }
    return {
      ...sandboxColumns(sandbox),
      id,
      ...pair,
      evidence: encryptEvidence(id, evidence, seal),
      ...undecided(now),
    }
  })
  for (const batch of batchesOf(rows, ROWS_PER_STATEMENT)) {
    await tx.insertInto('merge_suggestion').values(batch).execute()
  }
}

const undecided = (now: Date) => ({ suggested_at: now, decided_at: null, decided_by: null, merge_id: null })

/** Lists the suggestions in one state, newest first. Starts after `beforeId`. */
export function listSuggestions(
  tx: Tx,
  sandbox: SandboxRef,
  filter: { state: SuggestionState; leastLikely: number; beforeId: string | undefined; limit: number },
): Promise<Row<'merge_suggestion'>[]> {
  const { state, leastLikely, beforeId, limit } = filter
  let query = suggestionsOf(tx, sandbox).where('state', '=', state).where('likelihood', '>=', leastLikely)
  if (beforeId !== undefined) query = query.where('id', '<', beforeId)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Returns a suggestion. Undefined if the sandbox has none with this id. */
export function findSuggestion(tx: Tx, sandbox: SandboxRef, id: string): Promise<Row<'merge_suggestion'> | undefined> {
  return suggestionsOf(tx, sandbox).where('id', '=', id).executeTakeFirst()
}

/** A user's decision on a suggestion. */
export type DecisionColumns = Pick<Row<'merge_suggestion'>, 'state' | 'decided_at' | 'decided_by' | 'merge_id'>

/** Stores a user's decision on a suggestion. */
export async function storeDecision(tx: Tx, sandbox: SandboxRef, id: string, decided: DecisionColumns): Promise<void> {
  await changeRow(tx, sandbox, id, decided)
}

/** Dismisses an accepted suggestion whose merge a user undid, so that the pair stays separate. */
export async function dismissUndone(
  tx: Tx,
  sandbox: SandboxRef,
  mergeId: string,
  { at, by }: { at: Date; by: string },
): Promise<void> {
  await tx
    .updateTable('merge_suggestion')
    .set({ state: 'dismissed', decided_at: at, decided_by: by, merge_id: null })
    .where(ofSandbox(sandbox, { merge_id: mergeId }))
    .execute()
}

/** Deletes suggestions, also decided ones, if one of their entities no longer exists. */
export async function forgetSuggestions(
  tx: Tx,
  sandbox: SandboxRef,
  isKnown: (partId: string) => boolean,
): Promise<void> {
  const rows = await suggestionsOf(tx, sandbox).execute()
  const obsolete = rows.filter(({ one_part, other_part }) => !isKnown(one_part) || !isKnown(other_part))
  const ids = obsolete.map(({ id }) => id)
  await deleteRows(tx, sandbox, ids)
}

/** Re-encrypts the evidence of suggestions under another key. */
export async function reencryptSuggestions(tx: Tx, sandbox: SandboxRef, { before, after }: KeyChange): Promise<void> {
  for (const { id, evidence } of await suggestionsOf(tx, sandbox).execute()) {
    await changeRow(tx, sandbox, id, { evidence: encryptEvidence(id, decryptEvidence(id, evidence, before), after) })
  }
}

function suggestionsOf(tx: Tx, sandbox: SandboxRef) {
  return tx.selectFrom('merge_suggestion').selectAll().where(ofSandbox(sandbox))
}

async function changeRow(
  tx: Tx,
  sandbox: SandboxRef,
  id: string,
  change: Partial<Row<'merge_suggestion'>>,
): Promise<void> {
  await tx.updateTable('merge_suggestion').set(change).where(ofSandbox(sandbox, { id })).execute()
}

async function deleteRows(tx: Tx, sandbox: SandboxRef, ids: readonly string[]): Promise<void> {
  for (const batch of batchesOf(ids, ROWS_PER_STATEMENT)) {
    await tx.deleteFrom('merge_suggestion').where(ofSandbox(sandbox)).where('id', 'in', batch).execute()
  }
}

function toPair({ onePart, otherPart }: FoundSuggestion) {
  return { one_part: onePart, other_part: otherPart }
}

function pairOf({
  one_part: one,
  other_part: other,
}: Pick<Row<'merge_suggestion'>, 'one_part' | 'other_part'>): string {
  return `${one} ${other}`
}
