import { type Block, blocksOf, cellsOf } from './block.ts'
import { plainLine } from './clean-text.ts'
import { plainLabel, readLeadIn } from './labels.ts'
import { DEFINITION } from './parse-blocks.ts'
import { type Shown, shownIn } from './shown.ts'

/** A block as it is told: in plain words, with where in the text each stands. */
export interface ToldBlock {
  readonly kind: Block['kind']
  readonly text: string
  /** Set on the items of a task list: whether the box is ticked. */
  readonly done?: boolean
  /** The label that the block opens with: "**Cause.** …", "Fix: …". */
  readonly label?: string
  /** Of code: the language that is named with it. */
  readonly lang?: string
  /** Where in the text stands what these signs of `text` show. */
  readonly spanOf: Shown['spanOf']
}

/** What of a text is told. */
export interface Telling {
  readonly keepsCode?: boolean
  readonly blocks?: readonly Block[]
}

/**
 * The blocks of a text in order without markup; without code unless it is kept. `blocks` are those of the same text
 * that are told, where they are known.
 */
export function toldBlocks(text: string, { keepsCode = false, blocks = blocksOf(text) }: Telling = {}): ToldBlock[] {
  const defined = text.includes(']:') ? definedNames(text) : undefined
  return blocks.flatMap((block): ToldBlock[] => {
    if (block.kind === 'code') return keepsCode ? [codeOf(text, block)] : []
    const told = block.kind === 'row' ? rowOf(text, block) : lineOf(text, block, defined)
    return /[\p{L}\p{N}]/u.test(told.text) ? [told] : []
  })
}

/** The names under which a text says where links lead. */
function definedNames(text: string): ReadonlySet<string> {
  const lines = text.split('\n').filter((line) => line.includes(']:'))
  return new Set(lines.flatMap((line) => DEFINITION.exec(line.trim())?.[1]?.toLowerCase() ?? []))
}

function codeOf(text: string, { start, end, lang }: Block): ToldBlock {
  return { kind: 'code', text: text.slice(start, end), ...(lang && { lang }), spanOf: () => ({ start, end }) }
}

/** A row of a table that has heads, as a note that can be read without them: "Access logs: kept for 30 days". */
function rowOf(text: string, { start, end, header = [] }: Block): ToldBlock {
  const cells = cellsOf(text.slice(start, end)).map(plainLine)
  const [name, ...values] = cells
  const told = values.flatMap((value, at) => (value === '' ? [] : [`${header[at + 1] ?? ''} ${value}`.trim()]))
  const spanOf = () => ({ start, end })
  if (header.length === 0) return { kind: 'row', text: cells.filter(Boolean).join(', '), spanOf }
  const note = name && told.length > 0 ? `${name}: ${told.join(', ')}` : cells.filter(Boolean).join(', ')
  return { kind: 'item', text: note, ...(header[0] && { label: header[0] }), spanOf }
}

/** With the label that it opens with; one that is a paragraph's own sentence is taken off, one with a colon stays. */
function lineOf(text: string, block: Block, defined: ReadonlySet<string> | undefined): ToldBlock {
  const { kind, start, end, checked } = block
  const raw = text.slice(start, end)
  const lead = kind === 'item' || kind === 'paragraph' ? readLeadIn(raw) : undefined
  const isOwn = kind === 'paragraph' && lead !== undefined && !/^[^.]*:/.test(raw.slice(0, -lead.rest.length))
  const shown = shownIn(text, isOwn ? end - lead.rest.length : start, end, defined)
  const label = lead?.label ?? (kind === 'item' ? plainLabel(shown.text) : undefined)
  return {
    kind,
    text: shown.text,
    ...(checked !== undefined && { done: checked }),
    ...(label !== undefined && { label }),
    spanOf: shown.spanOf,
  }
}
