import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Accepted,
  type Evaluation,
  type EvaluationPage,
  type EvaluationQuestion,
  type EvaluationResult,
  type EvaluationSettings,
  GRADES,
  type Grade,
  operations,
} from '@cairnstore/contract'
import { call } from '../call.ts'
import { Failure, usageFailure } from '../output.ts'
import type { Progress } from '../progress.ts'
import type { Settings } from '../settings.ts'

const { deleteEvaluation, evaluate, getEvaluation, listEvaluations } = operations

/** Maximum questions per evaluation; a longer file is split into several evaluations. */
const QUESTIONS_AT_ONCE = 500
/** Number of latest evaluations searched for one that is still running. */
const LISTED = 20
const POLL_MS = 1_000

/** Results of all questions of a file with one set of settings. */
export interface Evaluated {
  readonly settings: EvaluationSettings
  readonly results: readonly EvaluationResult[]
  readonly counts: Readonly<Record<Grade, number>>
  /** Share of graded questions that were answered correctly, or correctly not answered. */
  readonly rightShare: number
  readonly statements: number
  readonly unsupported: number
  readonly writer: string | null
  readonly judge: string | null
  /** Questions that were deleted together with a record during the evaluation. */
  readonly erased: number
}

/** Evaluates questions with one set of settings, shows the progress, and deletes the stored evaluation afterwards. */
export async function runEvaluations(
  questions: readonly EvaluationQuestion[],
  evaluationSettings: EvaluationSettings,
  sandboxId: string,
  settings: Settings,
  progress: Progress,
): Promise<Evaluated> {
  const parts: Evaluation[] = []
  progress.begin('Asking', questions.length)
  for (let from = 0; from < questions.length; from += QUESTIONS_AT_ONCE) {
    const input = { questions: questions.slice(from, from + QUESTIONS_AT_ONCE), settings: evaluationSettings }
    const { job_id: id } = (await call(evaluate, { ...input, sandbox_id: sandboxId }, settings)) as Accepted
    const one = { evaluation_id: id, sandbox_id: sandboxId }
    await untilEnded(id, sandboxId, settings, (done) => progress.setDone(from + done))
    const part = (await call(getEvaluation, one, settings)) as Evaluation
    await call(deleteEvaluation, one, settings)
    if (part.status !== 'completed') throw failed(part)
    parts.push(part)
  }
  return combined(evaluationSettings, parts)
}

async function untilEnded(
  id: string,
  sandboxId: string,
  settings: Settings,
  onProgress: (done: number) => void,
): Promise<void> {
  for (;;) {
    const page = (await call(listEvaluations, { sandbox_id: sandboxId, limit: LISTED }, settings)) as EvaluationPage
    const found = page.evaluations.find((each) => each.evaluation_id === id)
    if (!found || found.completed_at) return
    onProgress(found.asked)
    await sleep(POLL_MS)
  }
}

function failed({ status, error_message: why }: Evaluation): Failure {
  const detail = why ?? `The evaluation ended with the status ${status}. Run it again.`
  return new Failure(detail, { error: 'evaluation_failed', detail })
}

function combined(settings: EvaluationSettings, parts: readonly Evaluation[]): Evaluated {
  const sum = (of: (part: Evaluation) => number) => parts.reduce((total, part) => total + of(part), 0)
  const counts = Object.fromEntries(GRADES.map((grade) => [grade, sum((part) => part.counts[grade])])) as Record<
    Grade,
    number
  >
  const graded = GRADES.reduce((total, grade) => total + (grade === 'ungraded' ? 0 : counts[grade]), 0)
  return {
    settings,
    results: parts.flatMap(({ results }, at) =>
      results.map((result) => ({ ...result, position: at * QUESTIONS_AT_ONCE + result.position })),
    ),
    counts,
    rightShare: graded === 0 ? 0 : (counts.right + counts.rightly_unanswered) / graded,
    statements: sum((part) => part.statements),
    unsupported: sum((part) => part.unsupported),
    writer: parts[0]?.writer ?? null,
    judge: parts[0]?.judge ?? null,
    erased: sum((part) => part.erased),
  }
}

const SETTINGS = ['preset', 'detail_level', 'reference_date', 'time_zone', 'project_id'] as const
const SWITCHES = ['writer', 'judge'] as const
const STATES: Readonly<Record<string, boolean>> = { on: true, true: true, off: false, false: false }

/** Parses settings such as `preset=fast,writer=off`. Throws a usage Failure if they are invalid. */
export function readEvaluationSettings(text: string): EvaluationSettings {
  const read: Record<string, unknown> = {}
  for (const part of text.split(',').filter((each) => each.trim() !== '')) {
    const [name = '', ...rest] = part.split('=')
    const [key, value] = [name.trim().replaceAll('-', '_'), rest.join('=').trim()]
    const state = STATES[value]
    if (SETTINGS.some((each) => each === key) && value !== '') read[key] = value
    else if (SWITCHES.some((each) => each === key) && state !== undefined) read[key] = state
    else {
      throw usageFailure(
        `"${part}" is not a valid setting. Example: preset=fast,writer=off. Settings are ` +
          `${SETTINGS.join(', ')}, and ${SWITCHES.join(', ')} with on or off.`,
      )
    }
  }
  return read
}
