import type { Cell, Column, View } from '../plan.ts'

/** Views that one query may read; a sandbox with more kinds of records shows those of which it has most. */
const VIEWS_MAX = 20
/** What every view begins with, whatever its records say. */
const OWN_COLUMNS = ['record_id', 'external_id', 'title'] as const

/**
 * The views as a reader sees them: entities by their names instead of ids, the record's id and title among the columns,
 * and no two columns alike. Pure.
 */
export function showViews(views: readonly View[]): View[] {
  return [...views]
    .sort((one, other) => other.rows.length - one.rows.length || (one.type < other.type ? -1 : 1))
    .slice(0, VIEWS_MAX)
    .map(showView)
}

function showView(view: View): View {
  const taken = new Set<string>(OWN_COLUMNS)
  const kept = view.columns.map(({ name }) => {
    const isNew = !taken.has(name.toLowerCase())
    taken.add(name.toLowerCase())
    return isNew
  })
  const shown = (cells: readonly Cell[]) => view.columns.map((column, at) => shownCell(column, cells[at] ?? null))
  return {
    ...view,
    columns: [...OWN_COLUMNS.map(plainText), ...view.columns.filter((_, at) => kept[at])],
    rows: view.rows.map((row) => ({
      ...row,
      cells: [row.recordId, row.externalId, row.title, ...shown(row.cells).filter((_, at) => kept[at])],
    })),
  }
}

function plainText(name: string): Column {
  return { name, words: [], kind: 'text', isPerson: false, labels: new Map(), spellings: new Map() }
}

function shownCell({ labels, kind }: Column, cell: Cell): Cell {
  if (kind === 'list' && Array.isArray(cell)) return cell.map((each) => labels.get(each) ?? each)
  return typeof cell === 'string' ? (labels.get(cell) ?? cell) : cell
}

/** The entities and records that a shown text stands for, by the text; what stands for several is none of them. */
export function idsOfLabels(views: readonly View[]): Map<string, string> {
  const ids = new Map<string, string | null>()
  const add = (label: string, id: string) => {
    if (/^(ent|rec)_/.test(id)) ids.set(label, ids.has(label) && ids.get(label) !== id ? null : id)
  }
  for (const { columns, rows } of views) {
    for (const { labels } of columns) for (const [id, label] of labels) add(label, id)
    for (const { recordId, title } of rows) {
      add(recordId, recordId)
      add(title, recordId)
    }
  }
  return new Map([...ids].flatMap(([label, id]) => (id === null ? [] : [[label, id] as const])))
}
