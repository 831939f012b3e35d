import type { Entity } from '@cairnstore/client'
import { Button, Checkbox } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { fromApi, t } from '../language/language.ts'
import { Sheet } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import classes from './names-and-split.module.css'

/** Maximum number of identifiers that are shown. An entity can have ten thousand. */
const SHOWN_MAX = 50

/** Fragment identifier of this section in the page's URL. */
export const SPLIT_FRAGMENT = 'split'

/** Shows the names and identifiers of an entity. The user can select some and move them to a new entity. */
export function NamesAndSplit({ entity }: { entity: Entity }): ReactNode {
  const cairn = useCairn()
  const known = useQueryClient()
  const [chosen, setChosen] = useState<readonly string[]>([])
  const splitting = useMutation({
    mutationFn: () => cairn.splitEntity({ canonical_id: entity.canonical_id, keys: [...chosen] }),
    onSuccess: () => {
      setChosen([])
      return known.invalidateQueries()
    },
  })
  const keys = keysOf(entity)
  const toggle = (key: string) =>
    setChosen(chosen.includes(key) ? chosen.filter((each) => each !== key) : [...chosen, key])
  const list = useRef<HTMLUListElement>(null)
  const hash = useRouterState({ select: ({ location }) => location.hash })
  useEffect(() => {
    if (hash === SPLIT_FRAGMENT) list.current?.querySelector('input')?.focus()
  }, [hash])
  return (
    <Sheet title={t('Names and identifiers')}>
      {keys.length > 1 && (
        <p className={classes.hint}>{t('Select those that belong to another entity, and split them off.')}</p>
      )}
      <ul ref={list} className={classes.keys}>
        {keys.slice(0, SHOWN_MAX).map(({ kind, key }) => (
          <li key={`${kind} ${key}`}>
            <Checkbox
              size="sm"
              checked={chosen.includes(key)}
              onChange={() => toggle(key)}
              label={
                <>
                  <bdi>{plainLine(key)}</bdi> <span className={classes.kind}>{fromApi(kind)}</span>
                </>
              }
            />
          </li>
        ))}
      </ul>
      {keys.length > SHOWN_MAX && (
        <p className={classes.kind}>{t('and {more} more', { more: keys.length - SHOWN_MAX })}</p>
      )}
      {splitting.error && <p role="alert">{sentenceOf(splitting.error)}</p>}
      <Button
        size="compact-sm"
        variant="default"
        disabled={chosen.length === 0 || chosen.length === keys.length}
        loading={splitting.isPending}
        onClick={() => splitting.mutate()}
      >
        {chosen.length === 0 ? t('Split off') : t('Split off {chosen}', { chosen: chosen.length })}
      </Button>
    </Sheet>
  )
}

function keysOf({ names, identifiers }: Entity): { kind: string; key: string }[] {
  const all = Object.entries(identifiers).flatMap(([kind, values]) => values.map((key) => ({ kind, key })))
  return [...names.map((key) => ({ kind: 'name', key })), ...all]
}
