import { termKey } from '../text/analyse-record.ts'
import { joinedName, namePartKey } from '../text/names.ts'
import { IN_NAME, nearSpellings } from '../text/near-spellings.ts'
import { termOf } from '../text/stem.ts'
import { wordsOf } from '../text/words.ts'
import { countRecordsWith, type KnownWords } from '../understand/known-words.ts'

/**
 * Maximum number of words of a name that are looked up. The next constant is the maximum number of unknown words whose
 * near spellings are looked up. Both bound the work.
 */
const WORDS_MAX = 8
const RESPELT_MAX = 3

/**
 * Returns true if a name occurs anywhere in scope. Each of its words, or a near spelling of it, must occur in a text, a
 * title, or a name or alias of a declared entity such as an author. The words may also be written as one.
 */
export function nameOccurs<S>(name: string, view: KnownWords<S>, scope: S | null): boolean {
  const { graph, hash } = view
  const isInScope = (word: string) => {
    const term = termOf(word)
    return (
      term !== undefined &&
      (graph.degreeOf(hash(termKey(term)), scope) > 0 || graph.holdsKey(hash(namePartKey(term)), scope))
    )
  }
  if (wordsOf(joinedName(name)).some(({ text }) => isInScope(text))) return true
  let respelt = 0
  return wordsOf(name)
    .slice(0, WORDS_MAX)
    .every(({ text }) => {
      const term = termOf(text)
      if (term === undefined || countRecordsWith(term, view, scope) > 0) return true
      respelt += 1
      return respelt <= RESPELT_MAX && [...nearSpellings(text, IN_NAME)].some(isInScope)
    })
}
