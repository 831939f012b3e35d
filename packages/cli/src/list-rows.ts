import type { Operation } from '@cairn/contract'
import { call } from './call.ts'
import { Failure } from './failure.ts'
import { type Inputs, listFieldOf, type Shape } from './inputs.ts'
import { note, print, type Row, tableOf } from './output.ts'
import type { Settings } from './settings.ts'

/** A list to be shown. */
export interface Listing {
  operation: Operation
  columns: readonly string[]
  inputs: Inputs
  settings: Settings
  asJson: boolean
}

/** Shows every row of a list, page by page as they come: a table, or one JSON array. */
export async function listRows(listing: Listing): Promise<void> {
  const { columns, asJson } = listing
  let shown = 0
  for await (const rows of pagesOf(listing)) {
    if (rows.length === 0) continue
    await print(asJson ? jsonOf(rows, shown === 0) : tableOf(columns, rows, shown === 0))
    shown += rows.length
  }
  if (asJson) await print(shown === 0 ? '[]\n' : '\n]\n')
  else if (shown === 0) note(listing.settings, 'None.')
}

function jsonOf(rows: Row[], isFirst: boolean): string {
  return `${isFirst ? '[' : ','}\n  ${rows.map((row) => JSON.stringify(row)).join(',\n  ')}`
}

/** The pages of a list, until its end or until as many rows as were asked for. */
async function* pagesOf({ operation, inputs, settings }: Listing): AsyncGenerator<Row[]> {
  const rowsMax = inputs.query.limit === undefined ? Number.POSITIVE_INFINITY : Number(inputs.query.limit)
  const pageRowsMax = (operation.query as Shape | undefined)?.properties?.limit?.maximum ?? 0
  let query = { ...inputs.query }
  let count = 0
  do {
    if (rowsMax < Number.POSITIVE_INFINITY) query.limit = String(Math.min(rowsMax - count, pageRowsMax))
    const reply = await call(operation, { ...inputs, query }, settings)
    const { rows, next } = pageOf(operation, reply as Row)
    yield rows
    count += rows.length
    if (next === undefined) return
    // A page that brings nothing new would be asked for without end.
    if (next === query.cursor || rows.length === 0) {
      const detail = 'The service gives the same page of this list again and again.'
      throw new Failure(detail, { error: 'unexpected_answer', detail })
    }
    query = { ...query, cursor: next }
  } while (count < rowsMax)
}

/** The rows of a reply, which is an array or holds one by the name that the contract gives it, and the next cursor. */
function pageOf(operation: Operation, reply: Row): { rows: Row[]; next: string | undefined } {
  const name = listFieldOf(operation)
  const rows = name === undefined ? reply : reply[name]
  return { rows: rows as Row[], next: reply.next_cursor as string | undefined }
}
