import { Button, type ButtonProps } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { t } from '../language/language.ts'

interface DeleteButtonProps extends Pick<ButtonProps, 'variant' | 'leftSection'> {
  children: ReactNode
  /** Deletes the item and updates the page. */
  onDelete: () => Promise<void>
}

/** Shows a button that asks for confirmation before it deletes. */
export function DeleteButton({ children, onDelete, ...look }: DeleteButtonProps): ReactNode {
  const [isSure, setSure] = useState(false)
  const deleting = useMutation({ mutationFn: onDelete })
  if (!isSure) {
    return (
      <Button {...look} size="compact-sm" onClick={() => setSure(true)}>
        {children}
      </Button>
    )
  }
  return (
    <>
      <Button size="compact-sm" color="red" loading={deleting.isPending} onClick={() => deleting.mutate()}>
        {t('Delete it for good')}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => setSure(false)}>
        {t('Keep it')}
      </Button>
      {deleting.error && <span role="alert">{sentenceOf(deleting.error)}</span>}
    </>
  )
}
