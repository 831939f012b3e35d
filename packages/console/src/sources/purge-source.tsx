import type { Source } from '@cairnstore/client'
import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn, useSession } from '../app/session.ts'
import { Sheet } from '../parts/page.tsx'
import { plain } from '../parts/plain.ts'
import { count } from '../parts/when.ts'
import classes from './sources-page.module.css'

/** Takes away everything that came through a source; its name has to be typed, and what would go is counted first. */
export function PurgeSource({ source }: { source: Source }): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const known = useQueryClient()
  const [typed, setTyped] = useState('')
  const overview = useQuery({ queryKey: [sandboxId, 'overview'], queryFn: () => cairn.getOverview() })
  const records = overview.data?.sources.find(({ source_id: id }) => id === source.data_source_id)?.record_count ?? 0
  const purging = useMutation({
    mutationFn: () => cairn.purgeSource({ source_id: source.data_source_id }),
    onSuccess: () => {
      setTyped('')
      return known.invalidateQueries()
    },
  })
  return (
    <Sheet title="Purge">
      <p className={classes.counts}>
        Its {count(records)} records go for good, with the entities and relations that rest on them alone. The source
        itself stays.
      </p>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          purging.mutate()
        }}
      >
        <TextInput
          label={`Type “${plain(source.name)}” to purge it`}
          value={typed}
          autoComplete="off"
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <div>
          <Button type="submit" color="red" disabled={typed !== source.name} loading={purging.isPending}>
            Purge {count(records)} records
          </Button>
        </div>
      </form>
      {purging.error && <p role="alert">{sentenceOf(purging.error)}</p>}
      {purging.data && (
        <p role="status">
          {count(purging.data.events_deleted)} records, {count(purging.data.extractions_deleted)} relations and{' '}
          {count(purging.data.canonical_index_rows_deleted)} entities are gone.
        </p>
      )}
    </Sheet>
  )
}
