import { isLatin } from './characters.ts'

/**
 * Minimum word lengths for spelling correction, by kind of typo. In a shorter word, a similar spelling is more often a
 * different word than a typo.
 */
interface EditLimits {
  swapped: number
  missing: number
  replaced: number
}

/** Limits within a name: few names differ by one letter. */
export const IN_NAME: EditLimits = { swapped: 5, missing: 5, replaced: 7 }
/** Limits elsewhere: "event" is not a typo of "even", and "painting" not of "pointing". */
export const IN_TEXT: EditLimits = { swapped: 5, missing: 6, replaced: 9 }

const LETTERS_MAX = 24
const ALPHABETS = [
  { isOf: isLatin, letters: 'abcdefghijklmnopqrstuvwxyz' },
  { isOf: (word: string) => /^[а-я]+$/.test(word), letters: 'абвгдежзийклмнопрстуфхцчшщъыьэюя' },
]

/** Returns the words within one edit of a word, which keep its first letter, since typos rarely affect it. */
export function nearSpellings(word: string, caution: EditLimits): Set<string> {
  const near = new Set<string>()
  const letters = ALPHABETS.find(({ isOf }) => isOf(word))?.letters
  if (letters === undefined || word.length > LETTERS_MAX) return near
  for (let at = 1; at <= word.length; at += 1) {
    const before = word.slice(0, at)
    const letter = word.slice(at, at + 1)
    const after = word.slice(at + 1)
    if (after !== '' && word.length >= caution.swapped) near.add(before + after[0] + letter + after.slice(1))
    if (word.length < caution.missing) continue
    // A word without its last letter is often a stem that other words share, so that deletion is skipped.
    if (after !== '') near.add(before + after)
    for (const other of letters) {
      near.add(before + other + letter + after)
      if (letter !== '' && word.length >= caution.replaced) near.add(before + other + after)
    }
  }
  near.delete(word)
  return near
}
