import type { Entity } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { moment } from '../parts/format.ts'
import { Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import classes from './merge-history.module.css'

const KINDS: Readonly<Record<Entity['merge_history'][number]['kind'], string>> = {
  identifier: t('same identifier'),
  name: t('same name'),
  alike: t('similar properties'),
  person: t('decided by a person'),
  split: t('split'),
}

/** Shows the merges that formed an entity. Each can be undone. */
export function MergeHistory({ entity }: { entity: Entity }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const undoing = useMutation({
    mutationFn: (merge_id: string) => cairn.undoMerge({ canonical_id: entity.canonical_id, merge_id }),
    onSuccess: () => known.invalidateQueries(),
  })
  if (entity.merge_history.length === 0) return null
  return (
    <Sheet title={t('Merge history')}>
      {undoing.error && <p role="alert">{sentenceOf(undoing.error)}</p>}
      <ul className={classes.history}>
        {entity.merge_history.map(({ merge_id: id, kind, reason, merged_at: at, undone_at: undone }) => (
          <li key={id}>
            <span>
              {plainLine(reason)}{' '}
              <span className={classes.soft}>
                ({KINDS[kind]}, {moment(at)})
              </span>
            </span>
            {undone ? (
              <span className={classes.soft}>{t('undone {when}', { when: moment(undone) })}</span>
            ) : (
              <Button
                size="compact-xs"
                flex="none"
                variant="default"
                loading={undoing.isPending}
                onClick={() => undoing.mutate(id)}
              >
                {t('Undo')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
