import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '@cairnstore/contract'
import { pages } from './call.ts'
import { type FieldSchema, listFieldOf, type OperationInput } from './inputs.ts'
import { note, type OutputRow, print, tableOf } from './output.ts'
import type { Settings } from './settings.ts'

/** A list to be shown. */
export interface Listing {
  operation: Operation
  columns: readonly string[]
  asked: OperationInput
  settings: Settings
  asJson: boolean
  /** Goes on at its end, for what comes later, until somebody ends it. */
  isFollowed: boolean
}

/** How often the end of a list that is followed is looked at. */
const LOOK_MS = 1000

/** Whether a list can be followed: its cursor stays good at its end. */
export function canBeFollowed({ query, reply }: Operation): boolean {
  return 'since' in propertiesOf(query) && 'has_more' in propertiesOf(reply?.json)
}

function propertiesOf(schema: unknown): Record<string, FieldSchema> {
  return ((schema ?? {}) as FieldSchema).properties ?? {}
}

/** Shows every row of a list, page by page as they come: a table, one JSON array, or lines of one that is followed. */
export async function listRows(listing: Listing): Promise<void> {
  const { asJson, isFollowed } = listing
  let { columns } = listing
  let shown = 0
  for await (const rows of pagesOf(listing)) {
    if (rows.length === 0) continue
    if (shown === 0) columns = columnsFor(columns, rows)
    if (!asJson) await print(tableOf(columns, rows, shown === 0))
    else await print(isFollowed ? linesOf(rows) : jsonOf(rows, shown === 0))
    shown += rows.length
  }
  if (asJson && !isFollowed) await print(shown === 0 ? '[]\n' : '\n]\n')
  else if (shown === 0) note(listing.settings, 'None.')
}

/** The columns that have a value in these rows: the tier is left out where the service limits nothing. */
export function columnsFor(columns: readonly string[], rows: readonly OutputRow[]): readonly string[] {
  const isUnlimited = rows.every(({ limits }) => limits && Object.values(limits).every((limit) => limit === null))
  return isUnlimited ? columns.filter((column) => column !== 'tier') : columns
}

function jsonOf(rows: OutputRow[], isFirst: boolean): string {
  return `${isFirst ? '[' : ','}\n  ${rows.map((row) => JSON.stringify(row)).join(',\n  ')}`
}

function linesOf(rows: OutputRow[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

/** The pages of a list, until its end or until as many rows as were asked for; one that is followed has no end. */
export async function* pagesOf({ operation, asked, settings, isFollowed }: Listing): AsyncGenerator<OutputRow[]> {
  const rowsMax = (asked.limit as number | undefined) ?? Number.POSITIVE_INFINITY
  const limit = asked.limit && Math.min(rowsMax, propertiesOf(operation.query).limit?.maximum ?? rowsMax)
  const name = listFieldOf(operation)
  let { since } = asked
  let left = rowsMax
  for (;;) {
    for await (const page of pages(operation, { ...asked, limit, since }, settings)) {
      const rows = (name === undefined ? page : page[name]) as OutputRow[]
      yield rows.slice(0, left)
      left -= rows.length
      if (left <= 0) return
      since = page.next_cursor
    }
    if (!isFollowed) return
    await sleep(LOOK_MS)
  }
}
