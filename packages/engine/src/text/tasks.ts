import { anyIn } from '../lexicon/languages.ts'
import { blocksOf } from './block.ts'
import { plainLine } from './clean-text.ts'

export interface ListedTask {
  readonly text: string
  readonly isDone: boolean
  /** The heading above it, or an empty string. */
  readonly heading: string
}

const MARKS = anyIn('taskMarks')
const MARKED = new RegExp(`\\[[ xX]\\]|${MARKS}`)
/** Matches a task mark with a colon, and an optional assignee in parentheses before it. */
const OPENING = new RegExp(`^${MARKS}(?:\\([^)]*\\))?:\\s*`)

/**
 * Returns the list items with a checkbox, and the lines that begin with a task mark of the lexicon and a colon.
 * `blocks` is the result of `encodeBlocks` for the same text; if omitted, the text is parsed.
 */
export function tasksIn(text: string, blocks?: string): ListedTask[] {
  if (!MARKED.test(text)) return []
  return blocksOf(text, blocks).flatMap(({ kind, checked, start, end, path }) => {
    const line = plainLine(text.slice(start, end))
    const isMarked = checked !== undefined || ((kind === 'item' || kind === 'paragraph') && OPENING.test(line))
    const task = line.replace(OPENING, '')
    if (!isMarked || task === '') return []
    return { text: task, isDone: checked === true, heading: path.at(-1) ?? '' }
  })
}
