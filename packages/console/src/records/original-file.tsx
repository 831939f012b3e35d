import type { KnowledgeRecord } from '@cairnstore/client'
import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { FileDown, ExternalLink as Open } from 'lucide-react'
import type { ReactNode } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn } from '../app/session.ts'
import { t } from '../language/language.ts'
import { saveBlob } from '../parts/csv.ts'
import { plainLine } from '../parts/plain.ts'
import classes from './original-file.module.css'

/** Media types that a browser can display without running code of the file. */
const SHOWN: ReadonlySet<string> = new Set(['application/pdf', 'image/png', 'image/jpeg', 'image/gif', 'image/webp'])
/** Milliseconds until the object URL is revoked. The new tab must load the file before that. */
const LOADING_MS = 60_000

/** Opens or saves the original file of a record. Shows nothing if none is stored. */
export function OriginalFile({ record }: { record: KnowledgeRecord }): ReactNode {
  const cairn = useCairn()
  const getting = useMutation({
    mutationFn: async (show: (blob: Blob) => void) => {
      const { sandbox_id, record_id } = record
      show(await cairn.downloadOriginal({ sandbox_id, record_id }))
    },
  })
  const { original } = record
  if (!original) return null
  const { name, media_type: type } = original
  const open = () => {
    // The tab is opened before the file arrives, because browsers open tabs only in reaction to a click.
    const tab = window.open('about:blank', '_blank')
    if (!tab) return
    tab.opener = null
    const show = (blob: Blob) => {
      const url = URL.createObjectURL(new Blob([blob], { type }))
      tab.location.replace(url)
      setTimeout(() => URL.revokeObjectURL(url), LOADING_MS)
    }
    getting.mutate(show, { onError: () => tab.close() })
  }
  return (
    <div className={classes.original}>
      {SHOWN.has(type) && (
        <Button variant="subtle" size="compact-sm" leftSection={<Open />} disabled={getting.isPending} onClick={open}>
          {t('Open the original')}
        </Button>
      )}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<FileDown />}
        loading={getting.isPending}
        title={plainLine(name)}
        onClick={() => getting.mutate((blob) => saveBlob(plainLine(name), blob))}
      >
        {t('Download the original')}
      </Button>
      {getting.error && <p role="alert">{sentenceOf(getting.error)}</p>}
    </div>
  )
}
