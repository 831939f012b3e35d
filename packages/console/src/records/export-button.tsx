import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { FileDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { sentenceOf } from '../app/sentence-of.ts'
import { useCairn, useSession } from '../app/session.ts'
import { useSandboxes } from '../app/shared-queries.ts'
import { t } from '../language/language.ts'
import { fileNameOf, saveBlob } from '../parts/csv.ts'

/** Lines that become one part of the file. The browser may keep parts on disk. */
const LINES_PER_PART = 1_000

/** Saves everything in the sandbox as one file, which another sandbox can import. */
export function ExportButton(): ReactNode {
  const cairn = useCairn()
  const { sandboxId } = useSession()
  const sandbox = useSandboxes().data?.sandboxes.find(({ sandbox_id: id }) => id === sandboxId)
  const exporting = useMutation({
    mutationFn: async () => {
      const parts: Blob[] = []
      let lines: string[] = []
      for await (const line of cairn.exportKnowledge()) {
        lines.push(`${JSON.stringify(line)}\n`)
        if (lines.length < LINES_PER_PART) continue
        parts.push(new Blob(lines))
        lines = []
      }
      const type = 'application/x-ndjson'
      saveBlob(fileNameOf(sandbox?.name ?? '', 'ndjson'), new Blob([...parts, ...lines], { type }))
    },
  })
  return (
    <>
      <Button
        variant="default"
        leftSection={<FileDown />}
        loading={exporting.isPending}
        title={t('Saves everything in this sandbox as one file. Another sandbox can import it.')}
        onClick={() => exporting.mutate()}
      >
        {t('Export all')}
      </Button>
      {exporting.error && <p role="alert">{sentenceOf(exporting.error)}</p>}
    </>
  )
}
