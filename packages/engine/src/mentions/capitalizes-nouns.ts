import german from '../lexicon/de.json' with { type: 'json' }
import { entriesOf } from '../lexicon/entries.ts'
import { STOP_WORDS } from '../lexicon/languages.ts'
import { foldText } from '../text/words.ts'
import type { Token } from './tokens.ts'

/** German stop words, folded. */
export const GERMAN_STOP_WORDS: ReadonlySet<string> = new Set(
  entriesOf(german.stopWords).map((word) => foldText(word).toLowerCase()),
)
/** Minimum number of German stop words in a German text. */
const STOP_WORDS_MIN = 2

/** Returns true if a text has more German than English stop words. German capitalizes all nouns. */
export function capitalizesNouns(tokens: readonly Token[]): boolean {
  let [german, english] = [0, 0]
  for (const { lower, isCode } of tokens) {
    if (isCode) continue
    if (GERMAN_STOP_WORDS.has(lower)) german += 1
    if (STOP_WORDS.has(lower)) english += 1
  }
  return german >= STOP_WORDS_MIN && german > english
}
