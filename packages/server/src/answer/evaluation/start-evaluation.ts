import type { Accepted, Evaluate, EvaluationQuestion, EvaluationSettings } from '@cairnstore/contract'
import { batchesOf } from '../../base/batches.ts'
import { Fault, invalid } from '../../base/fault.ts'
import { newId } from '../../base/id.ts'
import type { JsonObject } from '../../db/json-object.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import { questionAssociatedData } from '../../store/evaluation-rows.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { type AuditContext, recordEvent } from '../../tenancy/audit/record-event.ts'
import { type IdempotencyContext, storeReply } from '../../tenancy/idempotency/keyed-request.ts'
import { lockForGrowth } from '../../tenancy/sandboxes/assert-writable.ts'
import type { AnswerCtx } from '../context.ts'
import { parsePreset } from '../read-intent.ts'
import { readReferenceTime } from '../reference-time.ts'
import { encodeStored } from '../stored/stored-answer.ts'
import { EVALUATION_JOB, type QuestionContent } from './evaluation-row.ts'
import { expectedRecords } from './grade-answer.ts'

/** Maximum number of evaluations of an account that a sandbox stores, and maximum number of unfinished ones. */
const EVALUATIONS_MAX = 20
const UNFINISHED_MAX = 5
/** Maximum number of records that one question may expect. */
const EXPECTED_MAX = 50

const NOT_STORED =
  'This service stores no answers, so it cannot evaluate them. Its operator can set CAIRN_ANSWER_DAYS to 1 or more.'
const NO_RECORDS = 'The sandbox has no records. Add some, and start the evaluation again.'
const NO_JUDGE =
  'No language model can grade these answers. Leave out `judge`, or have the operator set CAIRN_MODEL_BASE_URL and ' +
  'CAIRN_MODEL_NAME. Answers of a sandbox with a customer-managed key are never sent to a model.'
const TOO_MANY = `${UNFINISHED_MAX} of your evaluations of this sandbox are unfinished. Wait for one, or delete it.`

type StartContext = Pick<
  AnswerCtx,
  'answerDays' | 'caller' | 'clock' | 'evaluator' | 'key' | 'knowledge' | 'limits' | 'models' | 'sql'
>

/**
 * Stores the questions of an evaluation, which are asked in the background. Throws `conflict` if the evaluation cannot
 * run, `quota_exceeded` for too many unfinished ones, and the faults of a question with these settings.
 */
export async function startEvaluation(
  ctx: StartContext & AuditContext & IdempotencyContext,
  access: AccessScope,
  { questions, settings: given }: Evaluate,
): Promise<Accepted> {
  const settings = given ?? {}
  parsePreset(access, settings)
  readReferenceTime(settings, ctx.clock.now())
  if (ctx.answerDays === 0) throw new Fault('conflict', { detail: NOT_STORED })
  // An empty sandbox may get a customer-managed key later, so nothing of it may be stored unencrypted.
  if (access.head.seq === 0) throw new Fault('conflict', { detail: NO_RECORDS })
  if (settings.judge && !ctx.models.writer) throw new Fault('conflict', { detail: NO_JUDGE })
  const tooMany = questions.findIndex((question) => expectedRecords(question).length > EXPECTED_MAX)
  if (tooMany >= 0) {
    throw invalid(['body', 'questions', tooMany, 'record'], `Name at most ${EXPECTED_MAX} records.`, 'too_long')
  }
  const { snapshot, view } = await openSnapshot(ctx, access, settings.project_id)
  const { holderId, sandboxId } = access
  const jobId = newId('job', ctx.clock)
  const accepted: Accepted = {
    job_id: jobId,
    status: 'queued',
    encrypted: ctx.key !== undefined,
    sandbox_id: sandboxId as Accepted['sandbox_id'],
    project_id: snapshot.projectId,
    status_url: `/api/v1/query/sandboxes/${sandboxId}/evaluations/${jobId}`,
  }
  await ctx.sql.transact(holderId, async (tx) => {
    await lockForGrowth(tx, access, ctx.limits)
    await deleteOldest(tx, access, ctx.caller.accountId)
    await insertJob(ctx, tx, access, accepted, questions.length, settings)
    await insertQuestions(ctx, tx, access, jobId, questions, (id) => view.graph.hasRecord(id, snapshot.scope))
    await recordEvent(ctx, tx, { holderId, sandboxId, subjectId: jobId })
    await storeReply(ctx, tx, accepted)
  })
  ctx.evaluator.wake({ userId: holderId, sandboxId })
  return accepted
}

async function insertJob(
  { caller, clock, models }: StartContext,
  tx: Tx,
  { holderId, sandboxId }: AccessScope,
  { job_id: jobId, encrypted, project_id: projectId }: Accepted,
  questions: number,
  settings: EvaluationSettings,
): Promise<void> {
  const place = { user_id: holderId, sandbox_id: sandboxId }
  const now = clock.now()
  const writer = models.writer?.name ?? null
  await tx
    .insertInto('job')
    .values({
      ...place,
      id: jobId,
      type: EVALUATION_JOB,
      project_id: projectId,
      source_id: null,
      parent_id: null,
      encrypted,
      result: { questions },
      error_message: null,
      created_at: now,
      started_at: null,
      completed_at: null,
    })
    .execute()
  await tx
    .insertInto('evaluation')
    .values({
      ...place,
      job_id: jobId,
      asker_id: caller.accountId,
      credential: caller.credential as unknown as JsonObject,
      project_id: projectId,
      settings,
      questions,
      writer: settings.writer === false || settings.preset === 'fast' ? null : writer,
      judge: settings.judge ? writer : null,
      owner: null,
      lease_until: null,
      not_before: now,
      created_at: now,
    })
    .execute()
}

async function insertQuestions(
  { key }: Pick<AnswerCtx, 'key'>,
  tx: Tx,
  { holderId, sandboxId }: AccessScope,
  jobId: string,
  questions: readonly EvaluationQuestion[],
  isKnown: (recordId: string) => boolean,
): Promise<void> {
  const place = { user_id: holderId, sandbox_id: sandboxId, job_id: jobId }
  const rows = questions.map((question, at) => {
    const position = at + 1
    const content = encodeStored(contentOfQuestion(question), questionAssociatedData(jobId, position), key?.seal)
    return { ...place, position, content }
  })
  await tx.insertInto('evaluation_question').values(rows).execute()
  const records = questions.flatMap((question, at) =>
    expectedRecords(question)
      .filter(isKnown)
      .map((id) => ({ ...place, position: at + 1, record_id: id })),
  )
  for (const batch of batchesOf(records, ROWS_AT_ONCE)) {
    await tx.insertInto('evaluation_record').values(batch).execute()
  }
}

/** Number of rows per statement. A statement has at most 65,535 parameters. */
const ROWS_AT_ONCE = 5_000

function contentOfQuestion({ question, expected, record, unanswerable }: EvaluationQuestion): QuestionContent {
  return {
    question,
    ...(expected && { expected }),
    ...(record && { record }),
    ...(unanswerable && { unanswerable }),
  }
}

/**
 * Deletes the account's oldest finished evaluations in the sandbox if the limit is reached. Throws `quota_exceeded` if
 * too many are unfinished.
 */
async function deleteOldest(tx: Tx, access: AccessScope, askerId: string): Promise<void> {
  const own = await tx
    .selectFrom('evaluation')
    .select(['job_id', 'not_before'])
    .where(ofSandbox(access))
    .where('asker_id', '=', askerId)
    .orderBy('job_id', 'desc')
    .execute()
  const unfinished = own.filter(({ not_before: at }) => at !== null)
  if (unfinished.length >= UNFINISHED_MAX) throw new Fault('quota_exceeded', { detail: TOO_MANY })
  const finished = own.filter(({ not_before: at }) => at === null)
  const old = finished.slice(EVALUATIONS_MAX - 1 - unfinished.length).map(({ job_id: jobId }) => jobId)
  if (old.length === 0) return
  await tx.deleteFrom('evaluation').where(ofSandbox(access)).where('job_id', 'in', old).execute()
}
