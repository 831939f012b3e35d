import type { KnowledgeRecord } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { Download } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { fileNameOf, saveFile } from '../parts/csv.ts'
import type { MarkedSpan } from '../parts/marked.ts'
import { recordHeading } from '../parts/record-title.ts'
import { MailHead } from '../texts/mail.tsx'
import { RecordBody } from '../texts/record-body.tsx'
import { textKindOf } from '../texts/text-kind.ts'
import { placesOf } from '../texts/text-part.ts'
import classes from './record-text.module.css'

/** Number of characters that are rendered at once. Rendering a whole book would block the page. */
const CHARS_AT_ONCE = 20_000

interface RecordTextProps {
  record: KnowledgeRecord
  marks: readonly MarkedSpan[]
}

/** Shows a record's text, with the cited passages highlighted and scrolled into view. */
export function RecordText({ record, marks }: RecordTextProps): ReactNode {
  const [charsMax, setCharsMax] = useState(CHARS_AT_ONCE)
  const [isPlain, setPlain] = useState(false)
  const container = useRef<HTMLDivElement>(null)
  const { text, locators = [] } = record
  if (!text) return <p className={classes.none}>{t('This record has no text.')}</p>
  const kind = textKindOf(record)
  const places = placesOf(marks, locators)
  const save = () => saveFile(fileNameOf(recordHeading(record), kind === 'markdown' ? 'md' : 'txt'), 'text/plain', text)
  return (
    <div ref={container} className={classes.text}>
      <div className={classes.tools}>
        <span className={classes.place}>
          {places.length > 0 && t('Cited: {places}', { places: places.join(', ') })}
        </span>
        {kind !== 'plain' && kind !== 'code' && (
          <Button variant="subtle" size="compact-sm" aria-pressed={isPlain} onClick={() => setPlain(!isPlain)}>
            {t('As stored')}
          </Button>
        )}
        <Button variant="subtle" size="compact-sm" leftSection={<Download />} onClick={save}>
          {t('Text')}
        </Button>
      </div>
      {kind === 'mail' && !isPlain && <MailHead record={record} />}
      <RecordBody record={record} marks={marks} charsMax={charsMax} isPlain={isPlain} scrolled={container} />
      {text.length > charsMax && (
        <Button variant="default" size="compact-sm" onClick={() => setCharsMax(2 * charsMax)}>
          {t('Show more of {characters} characters', { characters: text.length })}
        </Button>
      )}
    </div>
  )
}
