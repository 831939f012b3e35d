import type { Project, Source } from '@cairnstore/client'
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { SecondaryText } from '../parts/lines.tsx'
import { plain, plainLine } from '../parts/plain.ts'
import classes from './projects-page.module.css'

/** Shows a project with its sources, and lets the user add and remove sources. */
export function ProjectRow({ project, sources }: { project: Project; sources: readonly Source[] }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const { project_id, name, description, data_source_ids: linked = [] } = project
  const linking = useMutation({
    mutationFn: async ({ source_id, isIn }: { source_id: string; isIn: boolean }) => {
      await (isIn ? cairn.linkSource({ project_id, source_id }) : cairn.unlinkSource({ project_id, source_id }))
    },
    onSuccess: () => known.invalidateQueries(),
  })
  const others = sources.filter(({ data_source_id: id }) => !linked.includes(id))
  const called = plainLine(name)
  return (
    <li className={classes.project}>
      <span>
        <strong>
          <bdi>{called}</bdi>
        </strong>
        {description && <SecondaryText>{plain(description)}</SecondaryText>}
      </span>
      <ul className={classes.linked} aria-label={t('Sources of {project}', { project: called })}>
        {linked.map((source_id) => (
          <li key={source_id}>
            <Link to="/sources/$sourceId" params={{ sourceId: source_id }}>
              <bdi>{nameOf(source_id, sources)}</bdi>
            </Link>
            <Button
              size="compact-xs"
              variant="subtle"
              color="gray"
              aria-label={t('Remove {source} from {project}', { source: nameOf(source_id, sources), project: called })}
              onClick={() => linking.mutate({ source_id, isIn: false })}
            >
              {t('Remove')}
            </Button>
          </li>
        ))}
        {linked.length === 0 && (
          <li>
            <SecondaryText>{t('No sources yet.')}</SecondaryText>
          </li>
        )}
      </ul>
      {others.length > 0 && (
        <NativeSelect
          aria-label={t('Add a source to {project}', { project: called })}
          size="xs"
          value=""
          disabled={linking.isPending}
          data={[
            { value: '', label: t('Add a source …') },
            ...others.map(({ data_source_id: value, name: label }) => ({ value, label: plainLine(label) })),
          ]}
          onChange={({ currentTarget }) => {
            if (currentTarget.value) linking.mutate({ source_id: currentTarget.value, isIn: true })
          }}
        />
      )}
      {linking.error && <p role="alert">{sentenceOf(linking.error)}</p>}
    </li>
  )
}

function nameOf(sourceId: string, sources: readonly Source[]): string {
  return plainLine(sources.find(({ data_source_id: id }) => id === sourceId)?.name ?? sourceId)
}
