import type { EvaluationSettings, Grade } from '@cairnstore/contract'
import { sql } from 'kysely'
import { MS_PER_SECOND } from '../../base/clock.ts'
import { Fault } from '../../base/fault.ts'
import { ofSandbox, sandboxColumns } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { Row } from '../../db/tables.ts'
import { WAITING_FOR_KEY_MESSAGE } from '../../ingest/inbox.ts'
import { answerRetentionStart } from '../../store/answer-rows.ts'
import { questionAssociatedData } from '../../store/evaluation-rows.ts'
import type { Planes } from '../../store/planes.ts'
import { AccessScope } from '../../tenancy/access/access-scope.ts'
import { storedCaller } from '../../tenancy/accounts/stored-caller.ts'
import { toRequestKey } from '../../tenancy/caller-keys/caller-key.ts'
import { sandboxRate } from '../../tenancy/limits/rates.ts'
import type { AnswerApp } from '../context.ts'
import { localModels, type Models } from '../models/open-models.ts'
import { decodeStored, encodeStored } from '../stored/stored-answer.ts'
import { askQuestion, type EvaluatedQuestion, type EvaluationContext } from './ask-question.ts'
import {
  type EvaluationRef,
  isDue,
  ofEvaluation,
  type QuestionContent,
  settingsOf,
  totalsOf,
} from './evaluation-row.ts'

export type EvaluatorApp = Pick<AnswerApp, keyof Planes | 'models' | 'rates' | 'rows'>

/** Lease duration in milliseconds. The lease is renewed every third of it. */
const LEASE_MS = 60_000
/** Number of questions after which the worker switches to other evaluations. */
const QUESTIONS_PER_RUN = 20
/** Maximum milliseconds before each question in which the worker waits for users' questions to finish. */
const YIELD_MS = 1_000
/** Milliseconds before an evaluation of an inactive sandbox is checked again. */
const INACTIVE_MS = 60_000
/** Milliseconds before the first retry. The delay doubles with each failure. */
const RETRY_MS = 2_000
const FAILURES_MAX = 6

const TOO_OLD = 'The evaluation did not end within the time for which answers are stored. Start it again.'
const LOST = 'The account that started the evaluation can no longer edit this sandbox.'
const FAILED_REPEATEDLY =
  'The evaluation ended after repeated failures. The questions shown were asked; start it again for the rest.'

/** An evaluation claimed by this process. */
interface Claimed {
  readonly ref: EvaluationRef
  readonly row: Row<'evaluation'>
  readonly settings: EvaluationSettings
  readonly signal: AbortSignal
}

/** Asks the next questions of an evaluation, and ends it after the last. Does nothing if another process does. */
export async function runEvaluation(app: EvaluatorApp, ref: EvaluationRef, signal: AbortSignal): Promise<void> {
  const row = await claim(app, ref)
  if (!row) return
  const claimed = { ref, row, settings: settingsOf(row), signal }
  if (row.created_at <= answerRetentionStart(app)) return end(app, claimed, TOO_OLD)
  if (row.failures >= FAILURES_MAX) return end(app, claimed, FAILED_REPEATEDLY)
  const renewing = setInterval(() => {
    renew(app, ref).catch((error: unknown) => app.log.warn('renewing a lease failed', { jobId: ref.jobId, error }))
  }, LEASE_MS / 3).unref()
  try {
    await askBatch(app, claimed)
  } catch (cause) {
    if (signal.aborted) return await release(app, ref, {})
    const why = lastingFault(cause)
    if (why !== undefined) return await end(app, claimed, why)
    app.log.warn('a question of an evaluation failed', { jobId: ref.jobId, error: cause })
    await release(app, ref, { failures: row.failures + 1, waitMs: RETRY_MS * 2 ** row.failures })
  } finally {
    clearInterval(renewing)
  }
}

/** Returns the reason why an evaluation cannot continue; undefined for a failure that may be temporary. */
function lastingFault(cause: unknown): string | undefined {
  if (!(cause instanceof Fault) || cause.status >= SERVER_FAULT || cause.code === 'rate_limited') return undefined
  return cause.code === 'not_found' ? LOST : cause.detail
}

const SERVER_FAULT = 500

/** Claims a due evaluation. Returns undefined if another process has claimed it. */
async function claim(app: EvaluatorApp, ref: EvaluationRef): Promise<Row<'evaluation'> | undefined> {
  const now = app.clock.now()
  return app.sql.transact(ref.userId, async (tx) => {
    const row = await tx
      .selectFrom('evaluation')
      .selectAll()
      .where(ofEvaluation(ref))
      .where(isDue(now))
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!row) return undefined
    // If an owner is still set, its process crashed before it released the evaluation.
    const failures = row.failures + (row.owner === null ? 0 : 1)
    const claimed = { owner: app.ownerId, lease_until: leaseEnd(app), failures }
    await tx.updateTable('evaluation').set(claimed).where(ofEvaluation(ref)).execute()
    await tx
      .updateTable('job')
      .set((is) => ({ status: 'processing' as const, started_at: is.fn.coalesce('started_at', is.val(now)) }))
      .set((is) => ({ error_message: is.fn('nullif', ['error_message', is.val(WAITING_FOR_KEY_MESSAGE)]) }) as never)
      .where(ofSandbox(ref, { id: ref.jobId }))
      .where('status', 'in', ['queued', 'processing'])
      .execute()
    return { ...row, ...claimed }
  })
}

function leaseEnd({ clock }: EvaluatorApp): Date {
  return new Date(clock.now().getTime() + LEASE_MS)
}

async function renew(app: EvaluatorApp, ref: EvaluationRef): Promise<void> {
  await app.sql.transact(ref.userId, (tx) => updateOwn(app, tx, ref, { lease_until: leaseEnd(app) }))
}

/** Updates an evaluation. Returns true if this process still owns it. */
async function updateOwn(
  { ownerId }: EvaluatorApp,
  tx: Tx,
  ref: EvaluationRef,
  change: Partial<Pick<Row<'evaluation'>, 'failures' | 'lease_until' | 'not_before' | 'owner'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('evaluation')
    .set(change)
    .where(ofEvaluation(ref))
    .where('owner', '=', ownerId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Releases an evaluation, so that any process can continue it after a delay. */
async function release(
  app: EvaluatorApp,
  ref: EvaluationRef,
  { waitMs = 0, failures }: { waitMs?: number; failures?: number },
): Promise<void> {
  const change = {
    owner: null,
    lease_until: null,
    not_before: new Date(app.clock.now().getTime() + waitMs),
    ...(failures !== undefined && { failures }),
  }
  await app.sql.transact(ref.userId, (tx) => updateOwn(app, tx, ref, change))
}

async function askBatch(app: EvaluatorApp, claimed: Claimed): Promise<void> {
  const { ref, row, settings, signal } = claimed
  const caller = await storedCaller(app.sql, row.asker_id, row.credential)
  for (let asked = 0; asked < QUESTIONS_PER_RUN; asked += 1) {
    signal.throwIfAborted()
    const next = await nextQuestion(app, ref)
    if (!next) return end(app, claimed)
    const access = await AccessScope.find(app.sql, caller, ref.sandboxId)
    if (!access?.allows('editor')) throw new Fault('not_found')
    if (access.status !== 'active') return release(app, ref, { waitMs: INACTIVE_MS })
    const { granted, resetSeconds } = await app.rates.takeOne(sandboxRate('queries', access, app.limits))
    if (granted === 0) return release(app, ref, { waitMs: Math.max(1, resetSeconds) * MS_PER_SECOND })
    await app.questions.whenIdle(YIELD_MS)
    const { keyEpoch } = access.head
    const seal = keyEpoch === null ? undefined : app.seals.find(ref.sandboxId, keyEpoch)
    // Releases the evaluation if the key is no longer held, or was changed meanwhile.
    if (keyEpoch !== null && !seal) return release(app, ref, {})
    const key = seal && toRequestKey(app.seals, seal)
    key?.hold()
    try {
      const models = seal ? localModels(app.models) : app.models
      const ctx: EvaluationContext = {
        ...app,
        models: settings.writer === false ? withoutWriter(models) : models,
        caller,
        key,
        signal,
        slot: { end: () => undefined, rest: () => undefined },
      }
      const place = questionAssociatedData(ref.jobId, next.position)
      const content = decodeStored<QuestionContent>(next.content, place, seal)
      const judge = settings.judge ? models.writer : undefined
      const done = await askQuestion(ctx, access, content, settings, judge)
      const stored = await store(app, ref, access, next.position, done, encodeStored(done.content, place, seal))
      if (stored === 'lost') return
    } finally {
      key?.release()
    }
  }
  await release(app, ref, {})
}

function withoutWriter({ writer: _, ...models }: Models): Models {
  return models
}

function nextQuestion({ sql: control }: EvaluatorApp, ref: EvaluationRef) {
  return control.transact(ref.userId, (tx) =>
    tx
      .selectFrom('evaluation_question')
      .select(['position', 'content'])
      .where(ofEvaluation(ref))
      .where('grade', 'is', null)
      .orderBy('position')
      .limit(1)
      .executeTakeFirst(),
  )
}

/**
 * Stores an answer. If a cited record was removed or the key changed meanwhile, stores nothing, and the question is
 * asked again. The lock on the head prevents a concurrent commit from removing records.
 */
async function store(
  app: EvaluatorApp,
  ref: EvaluationRef,
  { head: { seq, keyEpoch } }: AccessScope,
  position: number,
  { content: { statements, unsupported }, grade, records }: EvaluatedQuestion,
  content: Buffer,
): Promise<'stored' | 'outdated' | 'lost'> {
  return app.sql.transact(ref.userId, async (tx) => {
    const head = await tx
      .selectFrom('sandbox_head')
      .select(['seq', 'key_epoch'])
      .where(ofSandbox(ref))
      .forShare()
      .executeTakeFirst()
    if (!head) return 'lost'
    if (head.key_epoch !== keyEpoch) return 'outdated'
    if (head.seq !== seq && (await isAnyRemoved(tx, ref, seq, records))) return 'outdated'
    if (!(await updateOwn(app, tx, ref, { failures: 0, lease_until: leaseEnd(app) }))) return 'lost'
    const { numUpdatedRows } = await tx
      .updateTable('evaluation_question')
      .set({ grade: grade satisfies Grade, statements, unsupported: unsupported.length, content })
      .where(ofEvaluation(ref))
      .where('position', '=', position)
      .executeTakeFirst()
    // Nothing was updated if the question was deleted together with a record that it expects.
    if (numUpdatedRows !== 1n || records.length === 0) return 'stored'
    const place = { ...sandboxColumns(ref), job_id: ref.jobId, position }
    await tx
      .insertInto('evaluation_record')
      .values(records.map((id) => ({ ...place, record_id: id })))
      .onConflict((is) => is.doNothing())
      .execute()
    return 'stored'
  })
}

async function isAnyRemoved(tx: Tx, ref: EvaluationRef, seq: number, records: readonly string[]): Promise<boolean> {
  if (records.length === 0) return false
  const { rows } = await sql<{ removed: boolean }>`
    select exists (
      select from change c, jsonb_array_elements(c.changes -> 'records') as groups,
        jsonb_array_elements_text(groups -> 'removed') as gone (id)
      where c.user_id = ${ref.userId} and c.sandbox_id = ${ref.sandboxId} and c.seq > ${seq}
        and gone.id in (select jsonb_array_elements_text(${JSON.stringify(records)}::text::jsonb))
    ) as removed`.execute(tx)
  return rows[0]?.removed ?? false
}

/** Ends an evaluation as completed, or as failed with a reason. */
async function end(app: EvaluatorApp, { ref }: Claimed, why?: string): Promise<void> {
  await app.sql.transact(ref.userId, async (tx) => {
    const isOwn = await updateOwn(app, tx, ref, { owner: null, lease_until: null, not_before: null })
    if (!isOwn) return
    const totals = (await totalsOf(tx, ref, [ref.jobId])).get(ref.jobId)!
    await tx
      .updateTable('job')
      .set({
        status: why === undefined ? 'completed' : 'failed',
        error_message: why ?? null,
        completed_at: app.clock.now(),
        result: { questions: totals.asked, ...totals.counts },
      })
      .where(ofSandbox(ref, { id: ref.jobId }))
      .where('status', 'in', ['queued', 'processing'])
      .execute()
  })
}
