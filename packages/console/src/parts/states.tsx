import { ForbiddenError, NotFoundError } from '@cairnstore/client'
import { Alert, Button, Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { KeyWanted } from '../app/key-wanted.tsx'
import { sentenceOf } from '../app/sentence-of.ts'
import classes from './states.module.css'

const NEEDS_KEY = 'encryption_key_required'

/** What a page is while it waits for what it shows. */
export function Waiting({ lines = 4 }: { lines?: number }): ReactNode {
  return (
    <div className={classes.waiting} role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike
        <Skeleton key={at} height={18} radius="sm" />
      ))}
    </div>
  )
}

/** What a page is when there is nothing to show: why, and what can be done. */
export function Empty({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className={classes.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  )
}

/** What failed, in words, and a way to try again; what is out of reach says so, and what a caller's key closes asks. */
export function Failed({ error, again }: { error: unknown; again?: () => void }): ReactNode {
  if (error instanceof ForbiddenError && error.code === NEEDS_KEY) return <KeyWanted />
  const isOut = error instanceof NotFoundError || error instanceof ForbiddenError
  return (
    <Alert
      color={isOut ? 'gray' : 'red'}
      role="alert"
      title={isOut ? 'This is out of your reach' : 'This could not be shown'}
    >
      <p className={classes.sentence}>{sentenceOf(error)}</p>
      {isOut && <p className={classes.sentence}>It may be deleted, or not be shared with your account.</p>}
      {again && !isOut && (
        <Button size="compact-sm" variant="default" onClick={again}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

/** The state of a request: its data once they are here, and its error. */
interface QueryState<T> {
  data: T | undefined
  error: unknown
  refetch: () => Promise<unknown>
}

/** Shows what a query gave, and until then that it waits or why it failed. */
export function Shown<T>({ of, children }: { of: QueryState<T>; children: (data: T) => ReactNode }): ReactNode {
  if (of.data !== undefined) return children(of.data)
  if (of.error) return <Failed error={of.error} again={() => void of.refetch()} />
  return <Waiting />
}

/** An address at which there is no page. */
export function NoPage(): ReactNode {
  return (
    <Empty title="There is no page here">
      <p>
        <Link to="/">Ask a question</Link> instead.
      </p>
    </Empty>
  )
}
