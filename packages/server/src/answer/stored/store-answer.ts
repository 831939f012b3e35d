import type { AnswerOutcome, AnswerStatement, Id, InterpretCitation, QuestionSettings } from '@cairnstore/contract'
import { sql } from 'kysely'
import { newId } from '../../base/id.ts'
import { answerAssociatedData } from '../../store/answer-rows.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import type { Answered } from '../answer-meta.ts'
import type { AnswerCtx } from '../context.ts'
import { writeAnswer } from './answer-writer.ts'
import { type AnswerContent, type AnswerRecords, encodeStored, recordsCitedBy } from './stored-answer.ts'

const NOT_STORED = 'The answer could not be stored, so it has no answer_id; ask again to get one.'

type StorageContext = Pick<AnswerCtx, 'caller' | 'clock' | 'isAsUser' | 'key' | 'log' | 'sql' | 'slot' | 'answerDays'>

/** A response that can be stored. */
interface Storable {
  readonly answer_id?: Id<'answer'>
  readonly outcome: AnswerOutcome
  readonly query: string
  readonly project_id?: string | null
  readonly citations?: readonly InterpretCitation[]
  readonly statements?: readonly AnswerStatement[]
  readonly written_by?: string
}

/** The fields of a request that are stored with the answer. `store: false` prevents storing. */
type Asked = QuestionSettings & { store?: boolean | null }

/** Stores a complete answer. Adds its `answer_id` to the response once it is on disk; if that fails, a warning. */
export async function* withStoredAnswer<R extends Storable>(
  ctx: StorageContext,
  access: AccessScope,
  { store, ...asked }: Asked,
  parts: AsyncGenerator<string, Answered<R>>,
  textOf: (reply: R) => string,
): AsyncGenerator<string, Answered<R>> {
  const answered = yield* parts
  const { reply, how } = answered
  // A sandbox without a commit may get a customer-managed key later, so nothing of it may be stored unencrypted.
  if (store === false || ctx.isAsUser || ctx.answerDays === 0 || access.head.seq === 0) return answered
  // The scheduler slot is released first, because waiting for the disk uses no CPU.
  ctx.slot.end()
  try {
    const id = await storeAnswer(ctx, access, answered, { answer: textOf(reply), ...settingsOf(asked) })
    return id === undefined ? answered : { reply: { ...reply, answer_id: id }, how }
  } catch (error) {
    ctx.log.warn('an answer could not be stored', { sandboxId: access.sandboxId, error })
    const warned = 'warnings' in reply ? { ...reply, warnings: [...(reply.warnings as string[]), NOT_STORED] } : reply
    return { reply: warned, how: { ...how, warnings: [...(how.warnings ?? []), NOT_STORED] } }
  }
}

/** Stores an answer. Returns undefined if a cited record was removed or the key changed meanwhile. */
async function storeAnswer<R extends Storable>(
  ctx: StorageContext,
  access: AccessScope,
  { reply, how }: Answered<R>,
  added: Pick<AnswerContent, 'answer' | 'settings'>,
): Promise<Id<'answer'> | undefined> {
  const id = newId('answer', ctx.clock)
  const { citations = [], statements, query, outcome, project_id: projectId = null, written_by: model } = reply
  const content: AnswerContent = {
    query,
    citations,
    ...added,
    ...(statements && { statements }),
    ...(model !== undefined && { written_by: model }),
  }
  const seal = ctx.key?.seal
  const records = {
    cited: [...new Set([...recordsCitedBy(reply), ...(how.usedRecords?.cited ?? [])])],
    retrieved: [...new Set(how.usedRecords?.retrieved ?? [])],
  }
  const { holderId, sandboxId, head } = access
  const sealed = encodeStored(content, answerAssociatedData(id), seal)
  const call = sql<boolean>`store_answer(
      ${holderId}, ${sandboxId}, ${id}, ${ctx.caller.accountId}, ${projectId}, ${outcome}, ${sealed}::bytea,
      ${ctx.clock.now()}::timestamptz, ${head.seq}::bigint, ${seal?.epoch ?? null}::bigint,
      ${JSON.stringify(rowsOf(records))}::text::jsonb
    )`
  return (await writeAnswer(ctx.sql, holderId, call)) ? id : undefined
}

/** Returns the settings in a request as fields of the stored content. */
function settingsOf({ reference_date, time_zone, preset }: QuestionSettings): Pick<AnswerContent, 'settings'> {
  const given = Object.entries({ reference_date, time_zone, preset }).filter(([, value]) => value != null)
  return given.length === 0 ? {} : { settings: Object.fromEntries(given) }
}

/** Returns each record of an answer once, as id, rank (0 if it was not retrieved), and true if it is cited. */
function rowsOf({ cited, retrieved }: AnswerRecords): [id: string, rank: number, isCited: boolean][] {
  const ranks = new Map(retrieved.map((id, at) => [id, at + 1]))
  const isCited = new Set(cited)
  return [...new Set([...cited, ...retrieved])].map((id) => [id, ranks.get(id) ?? 0, isCited.has(id)])
}
