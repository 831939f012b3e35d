/** British endings and the American ones, which Porter's rules are made for. */
const ENDINGS: readonly (readonly [british: RegExp, american: string])[] = [
  // Favourite, colour, neighbourhood. Three letters with a vowel before: not four, hour, scour.
  [/(?<=^(?=[^aeiouy]*[aeiouy])[a-z]{3,})our/, 'or'],
  // Organise, organisation, analysed. Not improvise, imprecise and paradise, which no spelling relates to -ize.
  [/(?<=^[a-z]{3,}[iy])(?<!vi|preci|paradi)s(?=(?:e[ds]?|ers?|ing|ations?|ational|able)$)/, 'z'],
  // Centre, metres, theatre.
  [/(?<=^[a-z]+[^u]t)re(?=s?$)/, 'er'],
  // Catalogue, dialogues.
  [/(?<=^[a-z]{2,}og)ue(?=s?$)/, ''],
]

/** Returns a lower-case English word in American spelling. A word without a British ending stays as it is. */
export function americanForm(word: string): string {
  for (const [british, american] of ENDINGS) if (british.test(word)) return word.replace(british, american)
  return word
}
