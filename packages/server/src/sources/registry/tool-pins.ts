import type { Row } from '../../db/tables.ts'

/** A tool as it was approved. */
export interface ToolPin {
  digest: string
  /** The server says something else of it now, so that it is not called. */
  changed?: true
}

/** What each tool of a server was when it was approved; none for a source that is no server of tools. */
export function toolPinsOf({ tool_pins: pins }: Pick<Row<'source'>, 'tool_pins'>): Record<string, ToolPin> {
  return (pins ?? {}) as Record<string, ToolPin>
}
