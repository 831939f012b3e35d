import { Alert } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copied } from './copied.tsx'

const KEY_TITLE = 'Copy the key now: it is shown only this once'

/** A secret that is shown this once: a key, unless its title says otherwise. */
export function Once({ text, label, title = KEY_TITLE }: { text: string; label: string; title?: string }): ReactNode {
  return (
    <Alert color="teal" title={title} mt="md">
      <Copied text={text} label={label} />
    </Alert>
  )
}
