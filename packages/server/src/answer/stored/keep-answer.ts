import type { AnswerOutcome, Id, InterpretCitation, ToldStatement } from '@cairnstore/contract'
import { sql } from 'kysely'
import { newId } from '../../base/id.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { answerPlace } from '../../store/answer-rows.ts'
import type { Reach } from '../../tenancy/reach/reach.ts'
import type { AnswerCtx } from '../context.ts'
import type { Answered } from '../telling.ts'
import { type AnswerContent, type AnswerRecords, encodeStored, recordsCitedBy } from './stored-answer.ts'

const NOT_STORED = 'The answer could not be stored, so it has no answer_id; ask again to get one.'

type Keeping = Pick<AnswerCtx, 'caller' | 'clock' | 'isAsUser' | 'key' | 'log' | 'sql' | 'answerDays'>

/** A reply that can be stored. */
interface Storable {
  readonly answer_id?: Id<'answer'>
  readonly outcome: AnswerOutcome
  readonly query: string
  readonly project_id?: string | null
  readonly citations?: readonly InterpretCitation[]
  readonly statements?: readonly ToldStatement[]
}

/**
 * Stores the answer of a question once it is complete, and adds its `answer_id` to the reply. The id is added only
 * after the answer is on disk. If storing it fails, the reply has a warning instead.
 */
export async function* keepAnswer<R extends Storable>(
  ctx: Keeping,
  reach: Reach,
  { store }: { store?: boolean | null },
  parts: AsyncGenerator<string, Answered<R>>,
  textOf: (reply: R) => string,
): AsyncGenerator<string, Answered<R>> {
  const answered = yield* parts
  const { reply, how } = answered
  // A sandbox without a commit may still be put under a caller's key, so nothing of it is stored in plain text.
  if (store === false || ctx.isAsUser || ctx.answerDays === 0 || reach.head.seq === 0) return answered
  try {
    const id = await storeAnswer(ctx, reach, answered, textOf(reply))
    return id === undefined ? answered : { reply: { ...reply, answer_id: id }, how }
  } catch (error) {
    ctx.log.warn('an answer could not be stored', { sandboxId: reach.sandboxId, error })
    const warned = 'warnings' in reply ? { ...reply, warnings: [...(reply.warnings as string[]), NOT_STORED] } : reply
    return { reply: warned, how: { ...how, warnings: [...(how.warnings ?? []), NOT_STORED] } }
  }
}

/** Stores an answer. Returns undefined if a record that it cites was removed or the key was changed meanwhile. */
async function storeAnswer<R extends Storable>(
  ctx: Keeping,
  reach: Reach,
  { reply, how }: Answered<R>,
  answer: string,
): Promise<Id<'answer'> | undefined> {
  const id = newId('answer', ctx.clock)
  const { citations = [], statements, query, outcome, project_id: projectId = null } = reply
  const content: AnswerContent = { query, answer, citations, ...(statements && { statements }) }
  const seal = ctx.key?.seal
  const records = {
    cited: [...new Set([...recordsCitedBy(reply), ...(how.rests?.cited ?? [])])],
    retrieved: [...new Set(how.rests?.retrieved ?? [])],
  }
  return ctx.sql.transact(reach.holderId, async (tx) => {
    const removed = await removedSince(tx, reach, seal?.epoch ?? null)
    if (removed === undefined || records.cited.some((recordId) => removed.has(recordId))) return undefined
    await tx
      .insertInto('answer')
      .values({
        user_id: reach.holderId,
        sandbox_id: reach.sandboxId,
        id,
        asker_id: ctx.caller.accountId,
        project_id: projectId,
        outcome,
        shared_at: null,
        content: encodeStored(content, answerPlace(id), seal),
        created_at: ctx.clock.now(),
      })
      .execute()
    const rows = rowsOf(records, removed).map((row) => ({
      user_id: reach.holderId,
      sandbox_id: reach.sandboxId,
      answer_id: id,
      ...row,
    }))
    if (rows.length > 0) await tx.insertInto('answer_record').values(rows).execute()
    return id
  })
}

/** Returns the rows of an answer's records, each once, without those that were removed. */
function rowsOf({ cited, retrieved }: AnswerRecords, removed: ReadonlySet<string>) {
  const ranks = new Map(retrieved.map((id, at) => [id, at + 1]))
  const isCited = new Set(cited)
  return [...new Set([...cited, ...retrieved])].flatMap((id) =>
    removed.has(id) ? [] : [{ record_id: id, rank: ranks.get(id) ?? 0, is_cited: isCited.has(id) }],
  )
}

/**
 * Locks the sandbox's head, so that no commit that removes records passes the answer by. Returns the records that were
 * removed since the answer's head, and undefined if the sandbox is gone or under another key.
 */
async function removedSince(tx: Tx, reach: Reach, keyEpoch: number | null): Promise<ReadonlySet<string> | undefined> {
  const head = await tx
    .selectFrom('sandbox_head')
    .select(['seq', 'key_epoch'])
    .where(ofSandbox(reach))
    .forShare()
    .executeTakeFirst()
  if (!head || head.key_epoch !== keyEpoch) return undefined
  if (head.seq === reach.head.seq) return new Set()
  const { rows } = await sql<{ id: string }>`
    select removed.id from change c, jsonb_array_elements(c.changes -> 'records') as of_records,
      jsonb_array_elements_text(of_records -> 'removed') as removed (id)
    where c.user_id = ${reach.holderId} and c.sandbox_id = ${reach.sandboxId} and c.seq > ${reach.head.seq}`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}
