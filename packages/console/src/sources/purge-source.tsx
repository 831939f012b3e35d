import type { Source } from '@cairnstore/client'
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { useOverview } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { recordsOf } from '../parts/format.ts'
import { Sheet } from '../parts/page.tsx'
import { plain } from '../parts/plain.ts'
import classes from './sources-page.module.css'

const LOOK_MS = 5_000

/** Deletes everything that was ingested through a source. Shows the counts first and asks for the source's name. */
export function PurgeSource({ source }: { source: Source }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [typed, setTyped] = useState('')
  const records =
    useOverview({ everyMs: LOOK_MS }).data?.sources.find(({ source_id: id }) => id === source.data_source_id)
      ?.record_count ?? 0
  const purging = useMutation({
    mutationFn: () => cairn.purgeSource({ source_id: source.data_source_id }),
    onSuccess: () => {
      setTyped('')
      return known.invalidateQueries()
    },
  })
  return (
    <Sheet title={t('Purge this source')}>
      <p className={classes.counts}>
        {t('Permanently deletes {records}.', { records: recordsOf(records) })}{' '}
        {t('The entities and relations that no other record supports are deleted too.')}{' '}
        {t('The source itself stays connected.')}
      </p>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          purging.mutate()
        }}
      >
        <TextInput
          label={t('Type “{name}” to purge it', { name: plain(source.name) })}
          value={typed}
          autoComplete="off"
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <div>
          <Button type="submit" color="red" disabled={typed !== source.name} loading={purging.isPending}>
            {t('Purge {records}', { records: recordsOf(records) })}
          </Button>
        </div>
      </form>
      {purging.error && <p role="alert">{sentenceOf(purging.error)}</p>}
      {purging.data && (
        <p role="status">
          {t('Deleted: {records}, {relations} relations, {entities} entities.', {
            records: recordsOf(purging.data.events_deleted),
            relations: purging.data.extractions_deleted,
            entities: purging.data.canonical_index_rows_deleted,
          })}
        </p>
      )}
    </Sheet>
  )
}
