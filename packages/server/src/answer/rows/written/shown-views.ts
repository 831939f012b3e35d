import type { Cell, Column, View, ViewRow } from '@cairnstore/engine/tables'
import { once } from '../../../base/once.ts'

/** Views that one query may read; a sandbox with more kinds of records shows those of which it has most. */
const VIEWS_MAX = 20
/** What every view begins with, whatever its records say. */
const OWN_COLUMNS = ['record_id', 'external_id', 'title'] as const

/**
 * The views as a reader sees them: entities by their names instead of ids, the record's id and title among the columns,
 * and no two columns alike. Pure; cells are made of those that are looked at.
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
  const rows = once(() => rowsOf(view))
  const own = {
    record_id: () => rows().map(({ recordId }) => recordId),
    external_id: () => rows().map(({ externalId }) => externalId),
    title: () => rows().map(({ title }) => title),
  }
  const shown = view.columns.filter((_, at) => kept[at])
  return {
    ...view,
    columns: [
      ...OWN_COLUMNS.map((name) => withCells({ name, ...PLAIN_TEXT }, own[name])),
      ...shown.map((column) => withCells(column, () => column.cells.map((cell) => shownCell(column, cell)))),
    ],
  }
}

type Titled = Omit<Column, 'cells'>

const NO_WORDS = { words: [], isPerson: false, labels: new Map(), spellings: new Map() }
const PLAIN_TEXT: Omit<Titled, 'name'> = { ...NO_WORDS, kind: 'text' }

/** The column with cells that are made when they are looked at. */
function withCells({ name, words, kind, isPerson, labels, spellings }: Titled, make: () => Cell[]): Column {
  const cells = once(make)
  return {
    ...{ name, words, kind, isPerson, labels, spellings },
    get cells() {
      return cells()
    },
  }
}

function rowsOf({ rows }: View): ViewRow[] {
  return Array.from({ length: rows.length }, (_, at) => rows.at(at)!)
}

function shownCell({ labels, kind }: Column, cell: Cell): Cell {
  if (kind === 'list' && Array.isArray(cell)) return cell.map((each) => labels.get(each) ?? each)
  return typeof cell === 'string' ? (labels.get(cell) ?? cell) : cell
}

/** The entities and records that shown texts stand for, by the text; what stands for several is none of them. */
export function idsOfLabels(views: readonly View[], texts: ReadonlySet<string>): Map<string, string> {
  const ids = new Map<string, string | null>()
  const add = (label: string, id: string) => {
    if (texts.has(label) && /^(ent|rec)_/.test(id)) ids.set(label, ids.has(label) && ids.get(label) !== id ? null : id)
  }
  for (const view of views) {
    for (const { labels } of view.columns) for (const [id, label] of labels) add(label, id)
    for (const { recordId, title } of rowsOf(view)) {
      add(recordId, recordId)
      add(title, recordId)
    }
  }
  return new Map([...ids].flatMap(([label, id]) => (id === null ? [] : [[label, id] as const])))
}
