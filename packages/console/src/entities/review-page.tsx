import type { MergeSuggestionPage as Listed, MergeSuggestion } from '@cairnstore/client'
import { Button, Kbd, Tabs } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { useRows } from '../app/use-rows.ts'
import { locale, t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { Page } from '../parts/page.tsx'
import { plainLine } from '../parts/plain.ts'
import { EmptyState, QueryView } from '../parts/states.tsx'
import { SPLIT_FRAGMENT } from './names-and-split.tsx'
import { PairView } from './pair.tsx'
import classes from './review-page.module.css'

const AT_ONCE = 50
const HUNDREDTHS = 100

/** The last merge, with the data for undoing it. */
interface LastMerge {
  canonical_id: string
  merge_id: string
  names: string
}

const rowsOf = ({ merge_suggestions: all }: Listed) => all

/** Lists suggested, merged and dismissed pairs. Every action has a keyboard shortcut. */
export function ReviewPage(): ReactNode {
  const [state, setState] = useState<'open' | 'accepted' | 'dismissed'>('open')
  return (
    <Page
      title={t('Review merges')}
      about={t('Pairs that may be the same person or thing, but without proof. You decide.')}
    >
      <Tabs value={state} onChange={(value) => setState((value ?? 'open') as typeof state)}>
        <Tabs.List>
          <Tabs.Tab value="open">{t('Suggested')}</Tabs.Tab>
          <Tabs.Tab value="accepted">{t('Merged')}</Tabs.Tab>
          <Tabs.Tab value="dismissed">{t('Kept apart')}</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <Pairs key={state} state={state} />
    </Page>
  )
}

function Pairs({ state }: { state: MergeSuggestion['state'] }): ReactNode {
  const cairn = useCairn()
  const listed = useRows(
    ['merge-suggestions', state],
    (cursor) => cairn.listMergeSuggestions({ state, limit: AT_ONCE, ...(cursor && { cursor }) }),
    rowsOf,
  )
  const [at, setAt] = useState(0)
  const { accept, dismiss, undo, made, error, isBusy } = useDecisions()
  const rows = listed.rows ?? []
  const chosen = rows[Math.min(at, rows.length - 1)]
  const undone = made ?? (chosen?.merge_id ? lastMergeOf(chosen) : undefined)
  const move = (by: number) => setAt((now) => Math.max(0, Math.min(rows.length - 1, now + by)))
  const decide = (verb: (pair: MergeSuggestion) => void) => {
    if (chosen && !isBusy) verb(chosen)
  }
  const navigate = useNavigate()
  const split = ({ entities: [first] }: MergeSuggestion) => {
    if (first)
      void navigate({ to: '/entities/$entityId', params: { entityId: first.canonical_id }, hash: SPLIT_FRAGMENT })
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['ArrowDown', () => move(1)],
    ['ArrowUp', () => move(-1)],
    ['a', () => state !== 'accepted' && decide(accept)],
    ['d', () => state === 'open' && decide(dismiss)],
    ['u', () => undone && !isBusy && undo(undone)],
    ['s', () => chosen && split(chosen)],
  ])
  return (
    <>
      {made && (
        <p role="status" className={classes.made}>
          {t('Merged {names}.', { names: made.names })}{' '}
          <Button size="compact-sm" variant="default" onClick={() => undo(made)}>
            {t('Undo')}
          </Button>
        </p>
      )}
      {error && <p role="alert">{sentenceOf(error)}</p>}
      <QueryView of={listed}>
        {() =>
          rows.length === 0 ? (
            <Nothing state={state} />
          ) : (
            <div className={classes.review}>
              <div className={classes.side}>
                <List rows={rows} chosen={chosen} onChoose={setAt} />
                <Keys state={state} />
              </div>
              {chosen && (
                <PairView
                  key={chosen.suggestion_id}
                  pair={chosen}
                  onAccept={state === 'accepted' ? undefined : () => accept(chosen)}
                  onDismiss={state === 'open' ? () => dismiss(chosen) : undefined}
                  onUndo={chosen.merge_id ? () => undo(lastMergeOf(chosen)) : undefined}
                />
              )}
            </div>
          )
        }
      </QueryView>
    </>
  )
}

const NOTHING: Record<MergeSuggestion['state'], readonly [title: string, hint: string]> = {
  open: [
    t('No pairs to review'),
    t('Pairs are listed here if their names are similar, but nothing proves that they are the same.'),
  ],
  accepted: [t('No merges yet'), t('Pairs that you merge are listed here. You can undo each merge.')],
  dismissed: [
    t('No pairs kept apart yet'),
    t('Pairs that you keep apart are listed here. They are not suggested again.'),
  ],
}

function Nothing({ state }: { state: MergeSuggestion['state'] }): ReactNode {
  const [title, hint] = NOTHING[state]
  return (
    <EmptyState title={title}>
      <p>{hint}</p>
      {state === 'open' && (
        <p>
          {rich('Merges by a shared identifier are automatic. They are listed on the page of {entity}.', {
            entity: <Link to="/entities">{t('the entity')}</Link>,
          })}
        </p>
      )}
    </EmptyState>
  )
}

/** Accepts or dismisses pairs, and keeps the last merge so that it can be undone. */
function useDecisions() {
  const cairn = useCairn()
  const known = useQueryClient()
  const [made, setMade] = useState<LastMerge>()
  // Not awaited: the next decision can be made while the lists reload.
  const refresh = () => void known.invalidateQueries()
  const accepting = useMutation({
    mutationFn: (pair: MergeSuggestion) => cairn.acceptMergeSuggestion({ suggestion_id: pair.suggestion_id }),
    onSuccess: ({ canonical_id, merge_id }, pair) => {
      setMade(merge_id ? { canonical_id, merge_id, names: namesOf(pair) } : undefined)
      refresh()
    },
  })
  const dismissing = useMutation({
    mutationFn: (pair: MergeSuggestion) => cairn.dismissMergeSuggestion({ suggestion_id: pair.suggestion_id }),
    onSuccess: refresh,
  })
  const undoing = useMutation({
    mutationFn: ({ canonical_id, merge_id }: LastMerge) => cairn.undoMerge({ canonical_id, merge_id }),
    onSuccess: () => {
      setMade(undefined)
      refresh()
    },
  })
  return {
    accept: accepting.mutate,
    dismiss: dismissing.mutate,
    undo: undoing.mutate,
    made,
    error: accepting.error ?? dismissing.error ?? undoing.error,
    isBusy: accepting.isPending || dismissing.isPending || undoing.isPending,
  }
}

function lastMergeOf(pair: MergeSuggestion): LastMerge {
  return { canonical_id: pair.entities[0]?.canonical_id ?? '', merge_id: pair.merge_id ?? '', names: namesOf(pair) }
}

const NAMES = new Intl.ListFormat(locale)

function namesOf({ entities }: MergeSuggestion): string {
  return NAMES.format(entities.map(({ name }) => plainLine(name)))
}

/** Keyboard shortcuts and their actions. */
const KEYS = [
  { keys: ['A'], does: t('merge'), in: ['open', 'dismissed'] },
  { keys: ['D'], does: t('keep apart'), in: ['open'] },
  { keys: ['S'], does: t('open and split'), in: ['open', 'accepted', 'dismissed'] },
  { keys: ['U'], does: t('undo the last merge'), in: ['open', 'dismissed'] },
  { keys: ['U'], does: t('undo'), in: ['accepted'] },
  { keys: ['J', 'K'], does: t('next, previous'), in: ['open', 'accepted', 'dismissed'] },
] as const

function Keys({ state }: { state: MergeSuggestion['state'] }): ReactNode {
  return (
    <ul className={classes.keys} aria-label={t('Keyboard shortcuts')}>
      {KEYS.filter(({ in: states }) => (states as readonly string[]).includes(state)).map(({ keys, does }) => (
        <li key={does}>
          {keys.map((key) => (
            <Kbd key={key} size="xs">
              {key}
            </Kbd>
          ))}
          {does}
        </li>
      ))}
    </ul>
  )
}

interface ListProps {
  rows: readonly MergeSuggestion[]
  chosen: MergeSuggestion | undefined
  onChoose: (at: number) => void
}

function List({ rows, chosen, onChoose }: ListProps): ReactNode {
  return (
    <ul className={classes.pairs} aria-label={t('Pairs')}>
      {rows.map((pair, at) => (
        <li key={pair.suggestion_id}>
          <button type="button" aria-current={pair === chosen} onClick={() => onChoose(at)}>
            <bdi>{namesOf(pair)}</bdi>
            <span className={classes.likely}>{Math.round(pair.likelihood * HUNDREDTHS)}%</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
