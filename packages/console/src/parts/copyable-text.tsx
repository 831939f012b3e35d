import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { ReactNode } from 'react'
import classes from './copyable-text.module.css'

/** Shows a text with a button that copies it. */
export function CopyableText({ text, label }: { text: string; label: string }): ReactNode {
  const clipboard = useClipboard()
  return (
    <div className={classes.copied}>
      <pre>{text}</pre>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`Copy ${label}`}
        className={classes.button}
        onClick={() => clipboard.copy(text)}
      >
        {clipboard.copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  )
}
