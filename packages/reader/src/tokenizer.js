/** Longer words are unknown: no vocabulary has them, and the search for their pieces would take long. */
const WORD_CHARS_MAX = 100
/** Of a text no more is looked at: far more than any model reads, so that a long one costs no more than it gives. */
const TEXT_CHARS_MAX = 20_000

const CONTROL = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu
/** Each is a word of its own: the blocks that the model's training called Chinese characters. */
const IDEOGRAPH = new RegExp(
  '[\\u{4E00}-\\u{9FFF}\\u{3400}-\\u{4DBF}\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2B73F}' +
    '\\u{2B740}-\\u{2B81F}\\u{2B920}-\\u{2CEAF}\\u{F900}-\\u{FAFF}\\u{2F800}-\\u{2FA1F}]',
  'gu',
)
/**
 * A word as it was read, and where its pieces stand among the ids.
 * @typedef {{ text: string, from: number, to: number }} Word
 */

/** Punctuation of Unicode, and what of ASCII is neither letter, digit nor blank. */
const WORDS = /[\p{P}$+<=>^`|~]|[^\p{P}$+<=>^`|~\p{White_Space}]+/gu

/**
 * The tokenizer of uncased BERT models (WordPiece): lower case without accents, words at blanks, punctuation and
 * ideographs, each word as the longest pieces of the vocabulary from its beginning on. What looks like one of the
 * model's own signs, as "[SEP]", is read as text. Throws when the vocabulary lacks these signs.
 * @param {string} vocabulary  one piece on each line; its number is the line's, from 0
 * @param {number} tokensMax  the first so many tokens are kept, with those that begin and end the text
 * @returns {(text: string) => { ids: number[], words: Word[] }} the words that have all their pieces among the ids
 */
export function createTokenizer(vocabulary, tokensMax) {
  /** @type {Map<string, number>} */
  const ids = new Map()
  for (const [id, piece] of vocabulary.split('\n').entries()) if (piece !== '') ids.set(piece.trimEnd(), id)
  const [unknown, begin, end] = ['[UNK]', '[CLS]', '[SEP]'].map((sign) => {
    const id = ids.get(sign)
    if (id === undefined) throw new Error(`the vocabulary lacks ${sign}`)
    return id
  })
  return (text) => {
    const tokens = [/** @type {number} */ (begin)]
    const words = []
    for (const [word] of plain(text).matchAll(WORDS)) {
      if (tokens.length >= tokensMax - 1) break
      const from = tokens.length
      tokens.push(...(piecesOf(word, ids) ?? [/** @type {number} */ (unknown)]))
      if (tokens.length <= tokensMax - 1) words.push({ text: word, from, to: tokens.length })
    }
    return { ids: [...tokens.slice(0, tokensMax - 1), /** @type {number} */ (end)], words }
  }
}

/** @param {string} text */
function plain(text) {
  return (
    text
      .slice(0, TEXT_CHARS_MAX)
      .replace(CONTROL, '')
      .replace(IDEOGRAPH, ' $& ')
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      // By itself each sigma becomes the same letter; at the end of a word `toLowerCase` gives another.
      .replaceAll('Σ', 'σ')
      .toLowerCase()
  )
}

/**
 * The pieces of a word, or undefined where the vocabulary does not have all of it.
 * @param {string} word
 * @param {ReadonlyMap<string, number>} ids
 */
function piecesOf(word, ids) {
  const chars = [...word]
  if (chars.length > WORD_CHARS_MAX) return undefined
  const pieces = []
  for (let from = 0; from < chars.length; ) {
    const mark = from === 0 ? '' : '##'
    let to = chars.length
    let id = ids.get(mark + chars.slice(from, to).join(''))
    while (id === undefined && to > from + 1) {
      to -= 1
      id = ids.get(mark + chars.slice(from, to).join(''))
    }
    if (id === undefined) return undefined
    pieces.push(id)
    from = to
  }
  return pieces
}
