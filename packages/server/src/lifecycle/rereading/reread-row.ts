import {
  declaredThings,
  decodeContent,
  encodeContent,
  mentionedThings,
  readAgain,
  recordKey,
  type StoredContent,
} from '@cairnstore/engine/resolve'
import type { KeyHash } from '@cairnstore/engine/text'
import { withKeptFields } from '../../sources/connectors/kept-fields.ts'
import type { RecordRow, RecordText } from '../../store/port.ts'
import { toRecordRow } from '../../store/record-row.ts'

/**
 * The row of a record as it would be stored today, of what is stored of it: its content opened, and analysed under the
 * hash. Its id and what names it at its source stay, and so do the things that it declares and mentions.
 */
export function rereadRow(row: Omit<RecordText, 'seq'>, hash: KeyHash): RecordRow {
  const content = readAgain(withKeptFields(decodeContent<StoredContent>(row.content)))
  const origin = { sourceId: row.sourceId ?? null, provider: content.provider }
  const said = { things: declaredThings(content, origin), mentioned: mentionedThings(content) }
  const record = { content, origin, projectId: row.projectId ?? null, ...said }
  return toRecordRow(row.id, recordKey(origin.sourceId, content.external_id), record, encodeContent(content), hash)
}
