/** A word of the Arabic script that is long enough to have something before or after its stem. */
const ARABIC = /^[\u0621-\u064a]{4,}$/
/** "And", "by", "as", "so" before the article, the article, and "for the"; then "and" alone. */
const ARTICLES = ['وال', 'بال', 'كال', 'فال', 'لل', 'ال']
const AND = 'و'
const ENDINGS = ['ها', 'ان', 'ات', 'ون', 'ين', 'يه', 'ه', 'ي']
const STEM_CHARS_MIN = 3
const ENDING_STEM_CHARS_MIN = 3

/**
 * The word without its article and commonest endings, its letters as people type them who leave out dots: the light
 * stemming that retrieval in Arabic has been found to need most. Words of other scripts stay as they are.
 */
export function stemArabic(word: string): string {
  if (!ARABIC.test(word)) return word
  let stem = word.replaceAll('ى', 'ي').replaceAll('ة', 'ه')
  const article = ARTICLES.find((each) => stem.startsWith(each) && stem.length - each.length >= STEM_CHARS_MIN)
  if (article) stem = stem.slice(article.length)
  else if (stem.startsWith(AND) && stem.length - AND.length >= STEM_CHARS_MIN) stem = stem.slice(AND.length)
  const ending = ENDINGS.find((each) => stem.endsWith(each) && stem.length - each.length >= ENDING_STEM_CHARS_MIN)
  return ending ? stem.slice(0, -ending.length) : stem
}
