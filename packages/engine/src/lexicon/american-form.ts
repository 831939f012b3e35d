/** British endings and the American ones, which the Porter algorithm expects. */
const ENDINGS: readonly (readonly [british: RegExp, american: string])[] = [
  // Favourite, colour, neighbourhood. Needs three letters with a vowel before it, which excludes four, hour and scour.
  [/(?<=^(?=[^aeiouy]*[aeiouy])[a-z]{3,})our/, 'or'],
  // Organise, organisation, analysed. Excludes improvise, imprecise and paradise, which have no spelling with -ize.
  [/(?<=^[a-z]{3,}[iy])(?<!vi|preci|paradi)s(?=(?:e[ds]?|ers?|ing|ations?|ational|able)$)/, 'z'],
  // Centre, metres, theatre.
  [/(?<=^[a-z]+[^u]t)re(?=s?$)/, 'er'],
  // Catalogue, dialogues.
  [/(?<=^[a-z]{2,}og)ue(?=s?$)/, ''],
]

/** Returns a lower-case English word in American spelling. A word without a British ending is unchanged. */
export function americanForm(word: string): string {
  for (const [british, american] of ENDINGS) if (british.test(word)) return word.replace(british, american)
  return word
}
