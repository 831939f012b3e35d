import { entriesOf } from '../lexicon/entries.ts'
import { LANGUAGES, STOP_WORDS } from '../lexicon/languages.ts'
import type { Word } from '../text/words.ts'

/** What tells a language in a question, and how its words end; all folded. */
interface Language {
  /** Words that say nothing about what is asked for. */
  readonly small: ReadonlySet<string>
  /** What a word may end with in one form and another has in place of it; an empty one is among them. */
  readonly endings: readonly string[]
}

/** Languages whose words have more forms than a plural in s. A change of vowel needs no rule: its dots fold away. */
const INFLECTED: readonly Language[] = LANGUAGES.flatMap(({ stopWords, endings }) =>
  endings ? [{ small: new Set(entriesOf(stopWords)), endings: ['', ...entriesOf(endings)] }] : [],
)
/** What is left of a word before its ending at least: shorter ones have too many words beside them. */
const STEM_CHARS_MIN = 4
const LATIN = /^[a-z]+$/

/** Small letters or the first word: a capital makes a small word part of a name. */
function isSmall(word: Word): boolean {
  return !word.isCapital || word.startsSentence
}

/** The languages that a question may be in by its small words, unless it is more likely English. */
export function languagesOf(words: readonly Word[]): readonly Language[] {
  const plain = words.filter(isSmall).map(({ text }) => text)
  const count = (small: ReadonlySet<string>) => plain.filter((text) => small.has(text)).length
  const counts = INFLECTED.map(({ small }) => count(small))
  const most = Math.max(...counts)
  return most === 0 || most <= count(STOP_WORDS) ? [] : INFLECTED.filter((_, at) => counts[at] === most)
}

/** Whether a word of a question says nothing in one of the languages. */
export function isSmallIn(languages: readonly Language[], word: Word): boolean {
  return isSmall(word) && languages.some(({ small }) => small.has(word.text))
}

/** A word in its other possible forms in these languages; most are no words, which nothing holds. */
export function inflections(word: string, languages: readonly Language[] = INFLECTED): Set<string> {
  const forms = new Set<string>()
  if (!LATIN.test(word)) return forms
  for (const { endings } of languages) {
    for (const ending of endings) {
      const base = word.slice(0, word.length - ending.length)
      if (!word.endsWith(ending) || base.length < STEM_CHARS_MIN) continue
      for (const other of endings) forms.add(base + other)
    }
  }
  forms.delete(word)
  return forms
}
