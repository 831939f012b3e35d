import { ForbiddenError, NotFoundError } from '@cairnstore/client'
import { Alert, Button, Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { KeyPrompt } from '../app/key-prompt.tsx'
import { sentenceOf } from '../app/sentence-of.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import classes from './states.module.css'

const NEEDS_KEY = 'encryption_key_required'

/** Shows a placeholder while a page loads. */
export function Loading({ lines = 4 }: { lines?: number }): ReactNode {
  return (
    <div className={classes.waiting} role="status" aria-label={t('Loading')}>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical
        <Skeleton key={at} height={18} radius="sm" />
      ))}
    </div>
  )
}

/** Shows that a list is empty, with the reason and what to do. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className={classes.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/**
 * Shows an error with a retry button. A forbidden and a missing object get the same message. For an encrypted sandbox
 * it asks for the key.
 */
export function ErrorMessage({ error, again }: { error: unknown; again?: () => void }): ReactNode {
  if (error instanceof ForbiddenError && error.code === NEEDS_KEY) return <KeyPrompt />
  const isMissing = error instanceof NotFoundError
  const isOut = isMissing || error instanceof ForbiddenError
  return (
    <Alert
      color={isOut ? 'gray' : 'red'}
      role="alert"
      title={isMissing ? t('Not found, or no access') : isOut ? t('No access') : t('This could not be shown')}
    >
      <p className={classes.sentence}>{sentenceOf(error)}</p>
      {isMissing && (
        <p className={classes.sentence}>{t('It may have been deleted, or is not shared with your account.')}</p>
      )}
      {again && !isOut && (
        <Button size="compact-sm" variant="default" onClick={again}>
          {t('Try again')}
        </Button>
      )}
    </Alert>
  )
}

/** The state of a query: its data when loaded, and its error. */
interface QueryState<T> {
  data: T | undefined
  error: unknown
  refetch: () => Promise<unknown>
}

/** Shows the data of a query. Before that, shows a placeholder or the error. */
export function QueryView<T>({ of, children }: { of: QueryState<T>; children: (data: T) => ReactNode }): ReactNode {
  if (of.data !== undefined) return children(of.data)
  if (of.error) return <ErrorMessage error={of.error} again={() => void of.refetch()} />
  return <Loading />
}

/** Shows that there is no page at this address. */
export function NoPage(): ReactNode {
  return (
    <EmptyState title={t('Page not found')}>
      <p>{rich('{ask} instead.', { ask: <Link to="/">{t('Ask a question')}</Link> })}</p>
    </EmptyState>
  )
}
