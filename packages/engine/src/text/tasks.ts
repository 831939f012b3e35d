import { anyIn } from '../lexicon/languages.ts'
import { blocksOf } from './block.ts'
import { plainLine } from './clean-text.ts'

/** A thing to do that a text lists. */
export interface ListedTask {
  readonly text: string
  readonly isDone: boolean
  /** The heading that it stands under, or an empty string. */
  readonly heading: string
}

const MARKS = anyIn('taskMarks')
const MARKED = new RegExp(`\\[[ xX]\\]|${MARKS}`)
/** A mark with a colon; the name of whose it is may stand before that in brackets. */
const OPENING = new RegExp(`^${MARKS}(?:\\([^)]*\\))?:\\s*`)

/**
 * The items of a text that have a box, ticked or not, and its lines that begin with a mark of the lexicon and a colon.
 * `blocks` is what `encodeBlocks` made of the same text; without it the text is parsed.
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
