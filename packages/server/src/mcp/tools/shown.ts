import type { ReadRecord } from '@cairnstore/engine/resolve'
import { linkOf } from '../../base/link.ts'
import { oneLine } from '../room.ts'
import type { Using } from './tool.ts'

const TITLE_CHARS_MAX = 160
const LOCATOR_CHARS_MAX = 120
const URL_CHARS_MAX = 500
const DAY_CHARS = 'YYYY-MM-DD'.length

/** A record as it is pointed to. */
export interface RecordPointer {
  readonly id: string
  readonly title: string
  /** Where in its document it is about what was asked: "p. 12", "Sheet1!A5:F9", "#limits/retries". */
  readonly locator?: string
  /** Where a person can open it: at its source, else in the console; undefined where it is nowhere to be seen. */
  readonly url: string | undefined
  /** The day it happened; empty when that is not known. */
  readonly date: string
  readonly type: string
}

/** What is known of a record that is pointed to. */
type PointedContent = Pick<ReadRecord['content'], 'title' | 'text' | 'url' | 'occurred_at' | 'type'>

/** One record as it is pointed to. */
export function toShown(
  using: Using,
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

/** The day of a moment; empty when there is none. */
export function dayOf(at: string | null | undefined): string {
  return at?.slice(0, DAY_CHARS) ?? ''
}

/** Where a program reads the record: at its source, else at this API. */
export function readAddress(using: Using, id: string, url: string | null | undefined): string {
  return webAddress(url) ?? apiAddress(using, id)
}

/** Returns a link that a person can open. Undefined for an unsafe URL or one too long to pass on whole. */
function webAddress(url: string | null | undefined): string | undefined {
  const link = url && url.length <= URL_CHARS_MAX ? linkOf(url) : undefined
  return link && link.length <= URL_CHARS_MAX ? link : undefined
}

function consoleAddress({ ctx }: Using, id: string): string | undefined {
  return ctx.consoleUrl === null ? undefined : `${ctx.consoleUrl}/records/${id}`
}

/** Where this API shows a record or an entity. */
export function apiAddress({ ctx, reach }: Using, id: string): string {
  const noun = id.startsWith('rec_') ? 'records' : 'entities'
  return `${ctx.publicUrl}/api/v1/storage/sandboxes/${reach.sandboxId}/${noun}/${id}`
}
