import type { ReadRecord } from '@cairnstore/engine/resolve'
import { linkOf } from '../../base/link.ts'
import { oneLine } from '../size-limit.ts'
import type { ToolContext } from './tool.ts'

const TITLE_CHARS_MAX = 160
const LOCATOR_CHARS_MAX = 120
const URL_CHARS_MAX = 500
const DAY_CHARS = 'YYYY-MM-DD'.length

export interface RecordPointer {
  readonly id: string
  readonly title: string
  /** Location of the relevant passage in the document: "p. 12", "Sheet1!A5:F9", "#limits/retries". */
  readonly locator?: string
  /** URL that a person can open: at the source, otherwise in the console. Undefined if there is neither. */
  readonly url: string | undefined
  /** Day of the record; empty if unknown. */
  readonly date: string
  readonly type: string
}

type PointedContent = Pick<ReadRecord['content'], 'title' | 'text' | 'url' | 'occurred_at' | 'type'>

export function toPointer(
  using: ToolContext,
  record: { id: string; locator?: string } & { [K in keyof PointedContent]?: string | null },
): RecordPointer {
  const { id, title, text, url, occurred_at: at, type } = record
  const locator = oneLine(record.locator ?? '', LOCATOR_CHARS_MAX)
  const named = oneLine(title ?? '', TITLE_CHARS_MAX) || oneLine(text ?? '', TITLE_CHARS_MAX)
  return {
    id,
    title: named || type || id,
    ...(locator && { locator }),
    url: webAddress(url) ?? consoleAddress(using, id),
    date: dayOf(at),
    type: type ?? '',
  }
}

export function dayOf(at: string | null | undefined): string {
  return at?.slice(0, DAY_CHARS) ?? ''
}

/** Returns the URL at which a program can read the record: at the source, otherwise in this API. */
export function readAddress(using: ToolContext, id: string, url: string | null | undefined): string {
  return webAddress(url) ?? apiAddress(using, id)
}

/** Returns a link that a person can open. Undefined for a URL that is unsafe or too long to be returned in full. */
function webAddress(url: string | null | undefined): string | undefined {
  const link = url && url.length <= URL_CHARS_MAX ? linkOf(url) : undefined
  return link && link.length <= URL_CHARS_MAX ? link : undefined
}

function consoleAddress({ ctx }: ToolContext, id: string): string | undefined {
  return ctx.consoleUrl === null ? undefined : `${ctx.consoleUrl}/records/${id}`
}

/** Returns the URL of a record or entity in this API. */
export function apiAddress({ ctx, access }: ToolContext, id: string): string {
  const noun = id.startsWith('rec_') ? 'records' : 'entities'
  return `${ctx.publicUrl}/api/v1/storage/sandboxes/${access.sandboxId}/${noun}/${id}`
}
