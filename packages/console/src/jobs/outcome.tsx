import type { Job } from '@cairnstore/client'
import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
import { count } from '../parts/format.ts'

const COLORS: Record<Job['status'], string> = {
  queued: 'gray',
  processing: 'blue',
  completed: 'teal',
  failed: 'red',
  cancelled: 'gray',
}

/** Shows the state of a job. */
export function JobState({ of: status }: { of: Job['status'] }): ReactNode {
  return (
    <Badge variant="light" color={COLORS[status]}>
      {' '}
      {t(status)}
    </Badge>
  )
}

interface Counts {
  written?: number
  unchanged?: number
  removed?: number
  failed?: number
}

/** Returns the counts of a job in words, such as `97 added, 2 left out`; empty if all are zero. */
export function formatCounts({ written = 0, unchanged = 0, removed = 0, failed = 0 }: Counts): string {
  const counts = [
    [written, 'added'],
    [unchanged, 'unchanged'],
    [removed, 'removed'],
    [failed, 'left out'],
  ] as const
  return counts.flatMap(([many, what]) => (many > 0 ? `${count(many)} ${t(what)}` : [])).join(', ')
}
