import type { KnowledgeRecord } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import classes from './record-page.module.css'

/** Deletes a record permanently, after showing what else is deleted with it. */
export function DeleteRecord({ record }: { record: KnowledgeRecord }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const navigate = useNavigate()
  const [isSure, setSure] = useState(false)
  const deleting = useMutation({
    mutationFn: () => cairn.deleteRecord({ record_id: record.record_id }),
    onSuccess: async () => {
      await navigate({ to: '/records' })
      known.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(record.record_id) })
      return known.invalidateQueries()
    },
  })
  if (!isSure) {
    return (
      <div>
        <Button size="compact-sm" variant="default" onClick={() => setSure(true)}>
          {t('Delete this record')}
        </Button>
      </div>
    )
  }
  const { mentions = [], facts = [], relations = [], canonical_ids: about = [] } = record
  const stated = facts.length + relations.length
  const entityCount = about.filter((id) => id !== record.record_id).length
  return (
    <section className={classes.sure} aria-label={t('Delete this record')}>
      <p>
        {t('This permanently deletes the record with its {mentions} mentions and {relations} relations.', {
          mentions: mentions.length,
          relations: stated,
        })}{' '}
        {t('Of its {entities} entities, those without another record are deleted too.', { entities: entityCount })}{' '}
        {t('The record stays deleted if its source sends the same content again.')}
      </p>
      <Button size="compact-sm" color="red" loading={deleting.isPending} onClick={() => deleting.mutate()}>
        {t('Delete it for good')}
      </Button>{' '}
      <Button size="compact-sm" variant="default" onClick={() => setSure(false)}>
        {t('Keep it')}
      </Button>
      {deleting.error && <p role="alert">{sentenceOf(deleting.error)}</p>}
    </section>
  )
}
