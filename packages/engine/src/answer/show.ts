import { plainLine } from '../text/clean-text.ts'
import type { Material } from './candidates.ts'
import { shorten, tokensOf } from './fit.ts'
import { render } from './render.ts'
import type { SelectedPassage } from './select.ts'
import { renderSheetRows, type SheetRow, sheetRowOf } from './sheet-rows.ts'

export interface RenderedPassage {
  /** Markdown. */
  readonly text: string
  readonly recordIds: readonly string[]
  /** Spans in the record's text, as UTF-16 offsets. Empty for statements from fields and relations. */
  readonly spans: readonly { readonly recordId: string; readonly start: number; readonly end: number }[]
  /** The computation, for computed statements. */
  readonly computed?: string
}

/** Merges passages of the same record in text order, so that each source is cited once. */
export function mergeByRecord(passages: readonly SelectedPassage[]): SelectedPassage[] {
  const merged: SelectedPassage[] = []
  for (const passage of passages) {
    const at = merged.findIndex(({ record, end }) => record === passage.record && end > 0 && passage.end > 0)
    if (at < 0) merged.push(passage)
    else merged[at] = join(merged[at]!, passage)
  }
  return merged
}

function join(one: SelectedPassage, other: SelectedPassage): SelectedPassage {
  const byOffset = new Map([...one.statements, ...other.statements].map((each) => [`${each.start} ${each.end}`, each]))
  const statements = [...byOffset.values()].sort((a, b) => a.start - b.start)
  return { ...one, statements, start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) }
}

/** Renders passages in order. Rows of one sheet become one table, at the position of the first row. */
export function showAll(passages: readonly SelectedPassage[], material: Material): RenderedPassage[] {
  const shown: RenderedPassage[] = []
  const tables = new Map<string, { at: number; rows: SheetRow[]; records: SelectedPassage[] }>()
  for (const passage of passages) {
    const row = passage.end > 0 ? sheetRowOf(material.segmented[passage.record]!) : undefined
    if (row === undefined) {
      shown.push(show(passage, material))
      continue
    }
    const key = JSON.stringify([material.records[passage.record]!.type, row.columns])
    const table = tables.get(key) ?? { at: shown.length, rows: [], records: [] }
    table.rows.push(row)
    table.records.push(passage)
    shown[table.at] = showRows(table.rows, table.records, material)
    tables.set(key, table)
  }
  return shown
}

function showRows(
  rows: readonly SheetRow[],
  passages: readonly SelectedPassage[],
  { records }: Material,
): RenderedPassage {
  const ids = passages.map(({ record }) => records[record]!.id)
  const spans = passages.flatMap((passage, at) => spansOf(passage).map((span) => ({ recordId: ids[at]!, ...span })))
  return { text: renderSheetRows(rows), recordIds: [...new Set(ids)], spans }
}

/** Renders a passage with the records that it comes from. */
export function show(passage: SelectedPassage, { records, segmented }: Material): RenderedPassage {
  const [{ computed, supports }] = passage.statements as [SelectedPassage['statements'][number]]
  const { id: recordId, author } = records[passage.record]!
  const text = render(passage, segmented[passage.record]!)
  // The author's name in the record can differ from the canonical name.
  const isCalled = author?.given !== undefined && text.includes(plainLine(author.name))
  const computations = [computed ?? [], isCalled ? `author ${author.given} is ${author.name}` : []].flat()
  return {
    text,
    recordIds: supports ? [...new Set(supports.map((at) => records[at]!.id))] : [recordId],
    spans: spansOf(passage).map((span) => ({ recordId, ...span })),
    ...(computations.length > 0 && { computed: computations.join('; ') }),
  }
}

/** Reduces a passage to the statement for which it was selected. */
export function withoutNeighbors(passage: SelectedPassage): SelectedPassage {
  const { best } = passage
  return { ...passage, statements: [best], start: best.start, end: best.end }
}

/** Returns one range of the text per block, because the blocks of a document may be on different pages. */
function spansOf({ statements }: SelectedPassage): { start: number; end: number }[] {
  const byBlock = new Map<number, { start: number; end: number }>()
  for (const { start, end, block } of statements) {
    if (end === 0) continue
    const known = byBlock.get(block)
    byBlock.set(block, { start: Math.min(start, known?.start ?? start), end: Math.max(end, known?.end ?? end) })
  }
  return [...byBlock.values()]
}

/** Drops the last passages until the rest fits the token limit. If only one is left and it is too long, shortens it. */
export function renderWithin(shown: readonly RenderedPassage[], tokensMax: number): RenderedPassage[] {
  const fitting = [...shown]
  while (fitting.length > 1 && tokensOf(fitting.map(({ text }) => text).join('\n\n')) > tokensMax) fitting.pop()
  const [first] = fitting
  if (!first || fitting.length > 1) return fitting
  const text = shorten(first.text, tokensMax)
  return text === '' ? [] : [{ ...first, text }]
}
