import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
import { CopyableText } from './copyable-text.tsx'

const KEY_TITLE = t('Copy the key now. It is shown only once')

/** Shows a secret that is displayed only once. The default title is for a key. */
export function OneTimeSecret({
  text,
  label,
  title = KEY_TITLE,
}: {
  text: string
  label: string
  title?: string
}): ReactNode {
  return (
    <Alert color="teal" title={title} mt="md">
      <CopyableText text={text} label={label} />
    </Alert>
  )
}
