import { oneAtATime } from '../../base/one-at-a-time.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import { awaitKeyForJob } from '../../ingest/await-key.ts'
import { createRetainedKeys, type RetainedKeys } from '../../tenancy/caller-keys/retained-keys.ts'
import type { SandboxRef } from '../../tenancy/sandboxes/assert-writable.ts'
import type { Evaluator } from '../context.ts'
import { dueEvaluations, type EvaluationRef, evaluationsWithJobs, isDue } from './evaluation-row.ts'
import { type EvaluatorApp, runEvaluation } from './run-evaluation.ts'

/** Maximum number of evaluations that one process runs concurrently. An account has at most one of them. */
const AT_ONCE_MAX = 2
/** Maximum number of evaluations that are examined in one poll. */
const ROWS_MAX = 100
const KEYS_MS = 1_000

/**
 * Starts the worker for evaluations. It runs a few evaluations concurrently and asks the questions of each one after
 * the other. An evaluation with a customer-managed key waits for a request that sends the key. The worker then retains
 * the key until the evaluation ends.
 */
export function startEvaluator(app: EvaluatorApp): Evaluator {
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const keys = createRetainedKeys(app.seals, (sandbox) => isUnfinished(app, sandbox))

  const sweep = async (): Promise<void> => {
    for (const ref of await listDue(app, keys, () => sweeping.begin())) {
      if (running.size >= AT_ONCE_MAX || stopping.signal.aborted) return
      if (running.has(ref.userId)) continue
      const work = app
        .observe('evaluation.run', () => runEvaluation(app, ref, stopping.signal))
        .catch((error: unknown) => app.log.warn('evaluation failed and will be retried', { jobId: ref.jobId, error }))
        .finally(() => {
          running.delete(ref.userId)
          sweeping.begin()
        })
      running.set(ref.userId, work)
    }
  }

  const sweeping = oneAtATime(
    () => (stopping.signal.aborted ? Promise.resolve() : sweep()),
    (error) => app.log.warn('polling for evaluations failed', { error }),
  )
  app.workPoller.watch((tx) => dueEvaluations(tx, app.clock.now()), sweeping.begin)
  const releasing = setInterval(() => {
    keys.releaseIdle().catch((error: unknown) => app.log.warn('releasing evaluation keys failed', { error }))
  }, KEYS_MS).unref()
  return {
    wake: (sandbox) => {
      keys.retain(sandbox)
      sweeping.begin()
    },
    stop: async () => {
      stopping.abort()
      clearInterval(releasing)
      await sweeping.ended
      await Promise.all(running.values())
      keys.releaseAll()
    },
  }
}

/** Returns the due evaluations that this process can run. Marks the jobs of others that wait for a key. */
async function listDue(app: EvaluatorApp, keys: RetainedKeys, wake: () => void): Promise<EvaluationRef[]> {
  const now = app.clock.now()
  const rows = await app.sql.transact({ worker: true }, (tx) =>
    evaluationsWithJobs(tx)
      .select(['evaluation.user_id', 'evaluation.sandbox_id', 'evaluation.job_id', 'job.encrypted'])
      .where(isDue(now))
      .orderBy('evaluation.not_before')
      .limit(ROWS_MAX)
      .execute(),
  )
  const able: EvaluationRef[] = []
  for (const { user_id: userId, sandbox_id: sandboxId, job_id: jobId, encrypted } of rows) {
    const ref = { userId, sandboxId, jobId }
    if (!encrypted) {
      if (app.cluster.isLocal(sandboxId)) able.push(ref)
    } else if (app.seals.findAny(sandboxId)) {
      keys.retain(ref)
      able.push(ref)
    } else {
      await awaitKeyForJob(app, ref, ref.jobId)
      app.seals.whenHeld(sandboxId, 'evaluations', () => {
        keys.retain(ref)
        wake()
      })
    }
  }
  return able
}

async function isUnfinished({ sql }: EvaluatorApp, { userId, sandboxId }: SandboxRef): Promise<boolean> {
  const found = await sql.look(userId, (tx) =>
    tx
      .selectFrom('evaluation')
      .select('job_id')
      .where(ofSandbox({ userId, sandboxId }))
      .where('not_before', 'is not', null)
      .limit(1),
  )
  return found.length > 0
}
