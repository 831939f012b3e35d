import { ROWS } from '../../lexicon/rows.ts'
import { plural } from '../../text/kinds.ts'
import type { Column } from '../plan.ts'
import { type Asking, once, type PartialReading } from './reading.ts'

/** Words that one value or one column's name may have. */
const WORDS_MAX = 8

/** A value that some words name: cells of one column. */
export interface NamedValue {
  column: number
  cells: string[]
  at: number
}

/** Words beside a column's own name that mean it. */
const SYNONYMS = new Map(
  ROWS.synonyms.map((entry) => entry.split(' ')).map(([name = '', ...others]) => [name, others] as const),
)

/** The values of a column, one of those that `fits` takes, that the next words name; a name of several fits none. */
export function valuesAt(asking: Asking, { at }: PartialReading, fits: (column: Column) => boolean): NamedValue[] {
  const all = once(asking, `values ${at}`, () => allValuesAt(asking, at))
  return all.filter(({ column }) => fits(asking.view.columns[column]!))
}

function allValuesAt({ view, tokens }: Asking, at: number): NamedValue[] {
  const found: NamedValue[] = []
  for (const [index, column] of view.columns.entries()) {
    if (column.kind !== 'text' && column.kind !== 'list') continue
    for (let length = Math.min(WORDS_MAX, tokens.length - at); length > 0; length -= 1) {
      const span = tokens.slice(at, at + length).map(({ text }) => text)
      const cells = column.isPerson ? person(column, span, view.people) : named(column, span)
      if (cells) found.push({ column: index, cells, at: at + length })
    }
  }
  return found
}

function named({ spellings, labels }: Column, span: readonly string[]): string[] | undefined {
  const joined = span.join(' ')
  const cells = spellings.get(joined) ?? spellings.get(singular(joined))
  if (!cells) return undefined
  const shown = new Set([...cells].map((cell) => labels.get(cell)?.toLowerCase()))
  return shown.size === 1 ? [...cells].sort() : undefined
}

function singular(word: string): string {
  const bare = word.replace(/s$/, '')
  return plural(bare) === word ? bare : word
}

/** Somebody of the column, else somebody else who is known: nobody is meant by a name that several have. */
function person(column: Column, span: readonly string[], people: Asking['view']['people']): string[] | undefined {
  const joined = span.join(' ')
  const cells = column.spellings.get(joined) ?? people.spellings.get(joined)
  return cells?.size === 1 ? [...cells] : undefined
}

/** The columns that the next words name, in the singular or the plural. */
export function columnsAt(asking: Asking, { at }: PartialReading): { column: number; at: number }[] {
  const { view, tokens } = asking
  return once(asking, `columns ${at}`, () =>
    view.columns.flatMap((column, index) =>
      namesOf(column)
        .filter((name) => name.every((word, place) => tokens[at + place]?.text === word))
        .map((name) => ({ column: index, at: at + name.length })),
    ),
  )
}

function namesOf({ name, words, kind }: Column): string[][] {
  const forms = [words, ...(SYNONYMS.get(name) ?? []).map((synonym) => [synonym])]
  const numbered = forms.flatMap((form) => {
    const last = form.at(-1) ?? ''
    const head = form.slice(0, -1)
    const single = last.replace(/s$/, '')
    return [form, [...head, plural(last)], ...(kind === 'list' || plural(single) === last ? [[...head, single]] : [])]
  })
  return [...new Map(numbered.map((form) => [form.join(' '), form])).values()]
}
