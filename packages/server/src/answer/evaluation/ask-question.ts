import type { EvaluationSettings } from '@cairnstore/contract'
import { FIXED_WORDS, nameWords } from '@cairnstore/engine/answer'
import type { ReadRecord } from '@cairnstore/engine/resolve'
import { dayOf, writeDay } from '@cairnstore/engine/text'
import { namesOf, readRecords } from '../../store/read-records.ts'
import { openSnapshot } from '../../store/read-snapshot.ts'
import type { AccessScope } from '../../tenancy/access/access-scope.ts'
import { lastOf } from '../answer-meta.ts'
import type { AnswerCtx } from '../context.ts'
import type { Writer } from '../models/open-models.ts'
import { readReferenceTime } from '../reference-time.ts'
import { search } from '../search.ts'
import { recordsCitedBy } from '../stored/stored-answer.ts'
import { unsupported } from '../written/claim-check.ts'
import type { QuestionContent } from './evaluation-row.ts'
import { expectedRecords, gradeAnswer } from './grade-answer.ts'
import { judgeAnswer } from './judge-answer.ts'

/** The request context that a question needs. */
export type EvaluationContext = Pick<
  AnswerCtx,
  'caller' | 'clock' | 'key' | 'knowledge' | 'models' | 'rows' | 'signal' | 'sql' | 'slot'
>

/** A question with its answer and grade, and the records that the answer cites. */
export interface EvaluatedQuestion {
  readonly content: QuestionContent & Required<Pick<QuestionContent, 'statements' | 'unsupported'>>
  readonly grade: ReturnType<typeof gradeAnswer>
  readonly records: readonly string[]
}

/**
 * Asks a question of an evaluation in the same way as `search`, checks the statements against their records, and grades
 * the answer. If a judge model is configured, it grades answers that do not match the expected one again. Throws the
 * faults of `search`.
 */
export async function askQuestion(
  ctx: EvaluationContext,
  access: AccessScope,
  question: QuestionContent,
  settings: EvaluationSettings,
  judge: Writer | undefined,
): Promise<EvaluatedQuestion> {
  const { writer: _, judge: __, ...asked } = settings
  const given = { ...asked, query: question.question, statements: true }
  const { reply, how } = await lastOf(search(ctx, access, given, false))
  const cited = [...new Set([...recordsCitedBy(reply), ...(how.usedRecords?.cited ?? [])])]
  const graded = { outcome: reply.outcome, answer: reply.answer, cited }
  const grade = gradeAnswer(question, graded)
  const isJudged = judge !== undefined && question.expected && (grade === 'wrong' || grade === 'partly')
  const judged = isJudged && !question.unanswerable ? await judgeAnswer(ctx, access, judge, question, reply) : undefined
  const statements = reply.statements ?? []
  const missing = expectedRecords(question).filter((id) => !cited.includes(id))
  return {
    grade: judged?.grade ?? grade,
    records: cited,
    content: {
      ...question,
      graded_by: judged?.grade ? 'model' : 'match',
      outcome: reply.outcome,
      answer: reply.answer,
      written_by_model: how.mode === 'model',
      cited,
      ...(missing.length > 0 && { missing_records: missing }),
      statements: statements.length,
      unsupported: await unsupportedIn(ctx, access, question, settings, statements),
      warnings: [...reply.warnings, ...(judged?.warnings ?? [])],
      duration_ms: reply.execution_time_ms,
    },
  }
}

/** Returns the statements that their cited records do not support. Computed statements are not checked. */
async function unsupportedIn(
  ctx: EvaluationContext,
  access: AccessScope,
  { question }: QuestionContent,
  settings: EvaluationSettings,
  statements: readonly { text: string; record_ids: readonly string[]; computed?: string }[],
): Promise<string[]> {
  const compared = statements.filter(({ computed }) => computed === undefined)
  if (compared.length === 0) return []
  const { view } = await openSnapshot(ctx, access, settings.project_id)
  const records = await readRecords(view, [...new Set(compared.flatMap(({ record_ids: ids }) => ids))])
  const names = [...namesOf(records.values()).values()].flatMap(({ name, aliases }) => [name, ...aliases])
  const { referenceDate } = readReferenceTime(settings, ctx.clock.now())
  const known = new Set([...nameWords(`${question} ${referenceDate} ${names.join(' ')}`), ...FIXED_WORDS])
  return compared.flatMap(({ text, record_ids: ids }) => {
    const evidence = ids.flatMap((id) => records.get(id) ?? []).map(textOf)
    return unsupported(text, { text: evidence.join('\n'), known, countMax: ids.length }) === undefined ? [] : [text]
  })
}

function textOf({ content, things }: ReadRecord): string {
  const { title, text, occurred_at: at, properties, relations = [] } = content
  const day = at ? writeDay(dayOf(Date.parse(at))) : undefined
  const names = things.flatMap(({ thing }) => thing.names.map((name) => name.text))
  const fields = Object.entries(properties ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const stated = relations.map((relation) => JSON.stringify(relation))
  return [title, day, names.join(', '), text, ...fields, ...stated].filter(Boolean).join('\n')
}
