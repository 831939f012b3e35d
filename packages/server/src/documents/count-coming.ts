import type { Format } from './detect.ts'
import type { Coming, DocumentItem } from './document.ts'

/** Formats whose every row, entry or value is a record: how many there are is told before the first. */
export const IS_COUNTED: ReadonlySet<Format> = new Set([
  'csv',
  'xlsx',
  'ods',
  'json',
  'lines',
  'yaml',
  'calendar',
  'contacts',
])
/** So many are told at once. */
const COUNTED_AT_ONCE = 10_000

/** How many records these items make, in steps, without the items. */
export async function* countComing(
  items: AsyncIterable<DocumentItem> | Iterable<DocumentItem>,
): AsyncGenerator<Coming> {
  let records = 0
  for await (const { kind } of items) {
    if (kind === 'head') continue
    records += 1
    if (records < COUNTED_AT_ONCE) continue
    yield { kind: 'coming', records }
    records = 0
  }
  if (records > 0) yield { kind: 'coming', records }
}
