import type { Word } from './words.ts'

/**
 * Characters of which two side by side often are a word: ideographs, the letters of foreign names in Japanese, and the
 * syllables of Korean, whose words carry their particles.
 */
const PAIRED = /[\p{sc=Han}\p{sc=Katakana}\p{sc=Hangul}ー]/u
const PAIR = 2

/**
 * Every two characters side by side in runs of scripts that write no spaces, as terms. Where a word ends there is a
 * guess that depends on what stands around it, so that what is asked for by itself would not be found within a longer
 * word. Pairs that are a word by themselves are left out.
 */
export function pairsOf(words: readonly Word[]): string[] {
  const pairs: string[] = []
  let last = ''
  let lastTo = -1
  for (const { text, from, to, isCaseless } of words) {
    if (!isCaseless || !PAIRED.test(text)) {
      last = ''
      continue
    }
    const letters = [...text]
    if (lastTo !== from) last = ''
    for (const [at, letter] of letters.entries()) {
      const isWord = at > 0 && letters.length === PAIR
      if (last !== '' && !isWord && PAIRED.test(letter)) pairs.push(last + letter)
      last = PAIRED.test(letter) ? letter : ''
    }
    lastTo = to
  }
  return pairs
}
