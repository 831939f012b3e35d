import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { excerptOf, type MarkedSpan } from '../parts/marked.ts'
import { MarkedText } from '../parts/marked-text.tsx'
import classes from './record-text.module.css'

/** Number of characters rendered at once. A whole book would block the page. */
const CHARS_AT_ONCE = 20_000

/** Shows a record's text, with the cited passages highlighted and scrolled into view. */
export function RecordText({ text, marks }: { text: string; marks: readonly MarkedSpan[] }): ReactNode {
  const [charsMax, setCharsMax] = useState(CHARS_AT_ONCE)
  const container = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text or another passage is another place
  useEffect(() => {
    // In some browsers this returns a promise, which React would take for a cleanup function.
    void container.current?.querySelector('mark')?.scrollIntoView({ block: 'center' })
  }, [text, marks.length])
  if (text === '') return <p className={classes.none}>This record has no text.</p>
  const isShort = text.length <= charsMax
  const shown = isShort
    ? excerptOf(text, marks, text.length, text.length)
    : excerptOf(text, marks, charsMax / 2, charsMax)
  return (
    <div ref={container} className={classes.text}>
      <MarkedText of={shown} />
      {!isShort && (
        <Button variant="default" size="compact-sm" onClick={() => setCharsMax(2 * charsMax)}>
          Show more of {text.length.toLocaleString()} characters
        </Button>
      )}
    </div>
  )
}
