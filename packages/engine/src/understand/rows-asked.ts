import { anyOf } from '../lexicon/entries.ts'
import { AUXILIARIES, anyIn, ROW_LEADS, SUPERLATIVES } from '../lexicon/languages.ts'
import { pattern, wordsOf } from '../text/words.ts'

/** What a question is asked of that rows may answer. */
export interface RowsKnown {
  /**
   * The nouns by which rows are called, in the singular and the plural: "issue", "pull requests"; left out where the
   * kinds of the records are not known.
   */
  rowNouns?: readonly string[] | undefined
}

/** Words between "which" and the rows that it asks for: "which of the open, urgent issues". */
const WORDS_BEFORE_NOUN_MAX = 6
/** Words of a question that are looked at; the grammar of rows reads no longer one. */
const WORDS_MAX = 60

const LEADS = pattern('', '(?:^| )', anyOf(ROW_LEADS), '(?: |$)')
const BEST = pattern('', ' ', anyOf(SUPERLATIVES), ' ')
const ASKS_WHICH = `^(?:${anyIn('beforeWhich')} )?${anyIn('asksWhich')}`
const WHICH_FIRST = new RegExp(`${ASKS_WHICH} `)
/** What stands before the noun of rows that are asked for: "which of the open …", and not "what did Ana …". */
const WHICH = pattern('', `${ASKS_WHICH}(?: (?!${anyOf(AUXILIARIES)} )\\S+){0,${WORDS_BEFORE_NOUN_MAX}} $`)
/** People are rows too, whom "who" asks for without their noun. */
const WHO_IS = new RegExp(`^${anyIn('whoRows')} `)
const PEOPLE = 'people'

/**
 * Whether a question has the form of one for a count, a list, groups or an extreme of rows that there are. Rows answer
 * it when their grammar explains every word of it.
 */
export function asksRows(question: string, { rowNouns }: RowsKnown): boolean {
  const words = wordsOf(question).slice(0, WORDS_MAX)
  const said = ` ${words.map(({ text }) => text).join(' ')} `
  const plain = said.trimStart()
  if (WHO_IS.test(plain)) return rowNouns === undefined || rowNouns.includes(PEOPLE)
  const isForm = LEADS.test(plain) || BEST.test(said)
  if (rowNouns === undefined) return isForm || WHICH_FIRST.test(plain)
  const named = rowNouns.map((noun) => said.indexOf(` ${noun} `)).filter((at) => at >= 0)
  if (named.length === 0) return false
  if (isForm) return true
  return named.some((at) => WHICH.test(said.slice(1, at + 1)))
}
