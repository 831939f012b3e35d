import type { EvaluationResult, EvaluationSummary } from '@cairnstore/client'
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { fromApi, t } from '../language/language.ts'
import { day } from '../parts/format.ts'

type Grade = NonNullable<EvaluationResult['grade']>

const GRADES: Readonly<Record<Grade, { label: string; color: string }>> = {
  right: { label: t('right'), color: 'teal' },
  partly: { label: t('partly right'), color: 'yellow' },
  wrong: { label: t('wrong'), color: 'red' },
  rightly_unanswered: { label: t('rightly not answered'), color: 'teal' },
  wrongly_unanswered: { label: t('wrongly not answered'), color: 'red' },
  ungraded: { label: t('not graded'), color: 'gray' },
}

/** Returns a grade in words. */
export function gradeLabel(grade: EvaluationResult['grade'] | undefined): string {
  return grade ? GRADES[grade].label : t('not asked yet')
}

/** Shows a grade. */
export function GradeBadge({ of: grade }: { of: EvaluationResult['grade'] | undefined }): ReactNode {
  return (
    <Badge variant="light" color={grade ? GRADES[grade].color : 'gray'}>
      {gradeLabel(grade)}
    </Badge>
  )
}

const PRESETS: Readonly<Record<string, string>> = {
  auto: t('Automatic'),
  fast: t('Fast'),
  sql: t('Counts and lists'),
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
    PRESETS[settings.preset ?? 'auto'] ?? settings.preset,
    settings.detail_level && fromApi(settings.detail_level),
    settings.reference_date && t('today is {day}', { day: day(settings.reference_date) }),
    writer ? t('written by {model}', { model: writer }) : t('without a model'),
    judge && t('graded by {model}', { model: judge }),
  ]
  return parts.filter(Boolean).join(', ')
}

/** Returns true if an evaluation is not finished. */
export function isRunning({ status }: Pick<EvaluationSummary, 'status'>): boolean {
  return status === 'queued' || status === 'processing'
}
