import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
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
        aria-label={t('Copy {what}', { what: label })}
        className={classes.button}
        onClick={() => clipboard.copy(text)}
      >
        {clipboard.copied ? t('Copied') : t('Copy')}
      </Button>
    </div>
  )
}
