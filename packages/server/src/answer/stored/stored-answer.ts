import type { AnswerOutcome, AnswerStatement, InterpretCitation, QuestionSettings } from '@cairnstore/contract'
import type { RecordGraph } from '@cairnstore/engine/rank'
import type { ReadSnapshot } from '../../store/read-snapshot.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { ContentCipher } from '../../tenancy/caller-keys/content-cipher.ts'
import type { AnswerCtx } from '../context.ts'

/** Stored content of an answer. It quotes only records that the answer cites. */
export interface AnswerContent {
  readonly query: string
  readonly answer: string
  readonly citations: readonly InterpretCitation[]
  readonly statements?: readonly AnswerStatement[]
  readonly written_by?: string
  readonly settings?: QuestionSettings
}

export interface AnswerRecords {
  readonly cited: readonly string[]
  /** Best first. */
  readonly retrieved: readonly string[]
}

/** The fields of a response that contain record ids. */
interface Citing {
  readonly outcome: AnswerOutcome
  readonly citations?: readonly InterpretCitation[]
  readonly statements?: readonly AnswerStatement[]
}

/** Returns the distinct ids of all records that a response cites. */
export function recordsCitedBy({ citations = [], statements = [] }: Citing): string[] {
  const ofCitations = citations.flatMap(({ canonical_id: id, record_ids: ids, spans = [] }) => [
    ...(RECORD.test(id) ? [id] : []),
    ...ids,
    ...spans.map((span) => span.record_id),
  ])
  const ofStatements = statements.flatMap(({ record_ids: ids, spans = [] }) => [
    ...ids,
    ...spans.map((span) => span.record_id),
  ])
  return [...new Set([...ofCitations, ...ofStatements])]
}

const RECORD = /^rec_/

/** Returns true if all of these records are in scope. */
export function holdsAll(
  graph: Pick<RecordGraph, 'hasRecord'>,
  scope: ReadSnapshot['scope'],
  ids: readonly string[],
): boolean {
  return ids.every((id) => graph.hasRecord(id, scope))
}

/**
 * Returns true if a caller may read answers about a project, or about the whole sandbox if `answered` is null. Callers
 * who are limited to a project may not read the latter: an answer such as "Nothing here mentions Ida" would reveal too
 * much.
 */
export function seesAnswersOf({ projectId }: Pick<AccessScope, 'projectId'>, answered: string | null): boolean {
  return projectId === null || projectId === answered
}

/** Encodes content as JSON. If there is a customer-managed key, encrypts it and binds it to `place`. */
export function encodeStored(content: object, place: string, seal: ContentCipher | undefined): Buffer {
  const plain = Buffer.from(JSON.stringify(content))
  return seal ? seal.encrypt(place, plain) : plain
}

export function decodeStored<T>(stored: Buffer, place: string, seal: ContentCipher | undefined): T {
  return JSON.parse(String(seal ? seal.decrypt(place, stored) : stored)) as T
}

/**
 * Returns the account whose answers count as the caller's own. For an owner who uses a grantee's access scope, it is
 * the owner.
 */
export function personOf(
  { caller, isAsUser }: Pick<AnswerCtx, 'caller' | 'isAsUser'>,
  { holderId }: AccessScope,
): string {
  return isAsUser ? holderId : caller.accountId
}
