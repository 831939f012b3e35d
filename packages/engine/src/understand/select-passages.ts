import { STOP_WORDS } from '../lexicon/languages.ts'
import { excerpt, fencesOf } from '../text/block.ts'
import { passagesOf } from '../text/passages.ts'
import { foldText, wordsOf } from '../text/words.ts'

/** Folded word stems of a question. They determine which passages of a long text are selected. */
export type QueryStems = readonly string[]

/** Maximum number of stems; minimum length of a stem; share of a word that forms its stem. */
const STEMS_MAX = 24
const STEM_CHARS_MIN = 4
const STEM_SHARE = 0.7
/** Maximum number of characters read of a long text: about five passages. */
const PASSAGES_CHARS_MAX = 9_000

export function queryStems(query: string): QueryStems {
  const words = wordsOf(query).filter(({ text }) => !STOP_WORDS.has(text))
  const stems = words.map(({ text }) => text.slice(0, Math.max(STEM_CHARS_MIN, Math.ceil(text.length * STEM_SHARE))))
  return [...new Set(stems)].slice(0, STEMS_MAX)
}

/** Returns the passages of a long text with the best query terms, in text order; empty for a short text. */
export function findPassages(
  text: string,
  stems: QueryStems,
  charsMax = PASSAGES_CHARS_MAX,
): { readonly start: number; readonly end: number }[] {
  const passages = passagesOf(text)
  const folded = passages.map(({ from, to, headings }) =>
    foldText(`${headings.join('\n')}\n${text.slice(from, to)}`).toLowerCase(),
  )
  const scores = passages.map(() => 0)
  for (const stem of stems) {
    const matches = matcherOf(stem)
    const found = folded.map(matches)
    const count = found.filter(Boolean).length
    const weight = Math.log(1 + passages.length / (count + 1))
    for (const [at, has] of found.entries()) if (has) scores[at]! += weight
  }
  const byScore = passages.map((_, at) => at).sort((one, other) => scores[other]! - scores[one]! || one - other)
  const chosen: number[] = []
  let chars = 0
  for (const at of byScore) {
    const { from, to } = passages[at]!
    if (chosen.length > 0 && chars + to - from > charsMax) break
    chosen.push(at)
    chars += to - from
  }
  chosen.sort((one, other) => one - other)
  return chosen.map((at) => ({ start: passages[at]!.from, end: passages[at]!.to }))
}

/** Returns the text of the selected passages, or the whole text if it is a single passage. */
export function selectPassages(text: string, stems: QueryStems, charsMax = PASSAGES_CHARS_MAX): string {
  const passages = findPassages(text, stems, charsMax)
  if (passages.length === 0) return text
  const fences = fencesOf(text)
  return passages.map(({ start, end }) => excerpt(text, start, end, fences)).join('\n\n')
}

/** Returns a matcher for a stem, which matches anywhere unless it is too short, such as a number. */
function matcherOf(stem: string): (passage: string) => boolean {
  if (stem.length >= STEM_CHARS_MIN || /[^\p{L}\p{N}]|[^\0-\x7f]/u.test(stem))
    return (passage) => passage.includes(stem)
  const word = new RegExp(`(?<![a-z0-9])${stem}(?![a-z0-9])`)
  return (passage) => word.test(passage)
}
