import type { EvaluationResult, EvaluationSummary } from '@cairnstore/client'
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { day } from '../parts/format.ts'

type Grade = NonNullable<EvaluationResult['grade']>

const GRADES: Readonly<Record<Grade, { label: string; color: string }>> = {
  right: { label: 'right', color: 'teal' },
  partly: { label: 'partly right', color: 'yellow' },
  wrong: { label: 'wrong', color: 'red' },
  rightly_unanswered: { label: 'rightly not answered', color: 'teal' },
  wrongly_unanswered: { label: 'wrongly not answered', color: 'red' },
  ungraded: { label: 'not graded', color: 'gray' },
}

/** Returns a grade in words. */
export function gradeLabel(grade: EvaluationResult['grade'] | undefined): string {
  return grade ? GRADES[grade].label : 'not asked yet'
}

/** Shows a grade. */
export function GradeBadge({ of: grade }: { of: EvaluationResult['grade'] | undefined }): ReactNode {
  return (
    <Badge variant="light" color={grade ? GRADES[grade].color : 'gray'}>
      {gradeLabel(grade)}
    </Badge>
  )
}

const PERCENT = 100

/** Returns the share of right answers among the graded ones, such as "80 %"; a dash if none is graded. */
export function rightShare({ counts }: Pick<EvaluationSummary, 'counts'>): string {
  const { right, rightly_unanswered: rightly, partly, wrong, wrongly_unanswered: wrongly } = counts
  const graded = right + rightly + partly + wrong + wrongly
  return graded === 0 ? '–' : `${Math.round((PERCENT * (right + rightly)) / graded)} %`
}

/** Returns the settings of an evaluation in words. */
export function settingsLine({
  settings,
  writer,
  judge,
}: Pick<EvaluationSummary, 'settings' | 'writer' | 'judge'>): string {
  const parts = [
    settings.preset ?? 'auto',
    settings.detail_level,
    settings.reference_date && `today is ${day(settings.reference_date)}`,
    writer ? `written by ${writer}` : 'without a model',
    judge && `graded by ${judge}`,
  ]
  return parts.filter(Boolean).join(', ')
}

/** Returns true if an evaluation is not finished. */
export function isRunning({ status }: Pick<EvaluationSummary, 'status'>): boolean {
  return status === 'queued' || status === 'processing'
}
