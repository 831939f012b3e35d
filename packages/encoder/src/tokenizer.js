/** Maximum length of a word in characters. Vocabularies have no longer ones, and finding their tokens would be slow. */
const WORD_CHARS_MAX = 100
/** Maximum number of characters of a text that are used. No model uses as many, and the limit bounds the cost. */
const TEXT_CHARS_MAX = 20_000

const CONTROL = /[\0\uFFFD]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu
/** Matches a character that is a word by itself: the ranges that BERT treats as Chinese characters. */
const IDEOGRAPH = new RegExp(
  '[\\u{4E00}-\\u{9FFF}\\u{3400}-\\u{4DBF}\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2B73F}' +
    '\\u{2B740}-\\u{2B81F}\\u{2B920}-\\u{2CEAF}\\u{F900}-\\u{FAFF}\\u{2F800}-\\u{2FA1F}]',
  'gu',
)
/**
 * A word with the range of its tokens among the ids.
 * @typedef {{ text: string, from: number, to: number }} Word
 */

/** Matches a punctuation mark (Unicode punctuation and all ASCII symbols) or a word. */
const WORDS = /[\p{P}$+<=>^`|~]|[^\p{P}$+<=>^`|~\p{White_Space}]+/gu

/**
 * Creates the tokenizer of uncased BERT models (WordPiece). Text is converted to lower case without accents and split
 * at white space, punctuation and ideographs. Each word is split into the longest tokens of the vocabulary from its
 * beginning. Special tokens such as "[SEP]" in a text are read as text. Throws if the vocabulary lacks a special token.
 * @param {string} vocabulary  one token per line; its id is the line number, from 0
 * @param {number} tokensMax  maximum number of tokens, including the special ones at both ends
 * @returns {(text: string, most?: number) => { ids: number[], words: Word[] }} the ids, at most `tokensMax` or `most`,
 * and the words whose tokens are all included
 */
export function createTokenizer(vocabulary, tokensMax) {
  /** @type {Map<string, number>} */
  const ids = new Map()
  for (const [id, piece] of vocabulary.split('\n').entries()) if (piece !== '') ids.set(piece.trimEnd(), id)
  const [unknown, begin, end] = ['[UNK]', '[CLS]', '[SEP]'].map((sign) => {
    const id = ids.get(sign)
    if (id === undefined) throw new Error(`the vocabulary has no token ${sign}`)
    return id
  })
  return (text, most = tokensMax) => {
    const tokens = [/** @type {number} */ (begin)]
    const words = []
    for (const [word] of plain(text).matchAll(WORDS)) {
      if (tokens.length >= most - 1) break
      const from = tokens.length
      tokens.push(...(piecesOf(word, ids) ?? [/** @type {number} */ (unknown)]))
      if (tokens.length <= most - 1) words.push({ text: word, from, to: tokens.length })
    }
    return { ids: [...tokens.slice(0, most - 1), /** @type {number} */ (end)], words }
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
      // Sigma is replaced first, because `toLowerCase` would convert it to a different letter at the end of a word.
      .replaceAll('Σ', 'σ')
      .toLowerCase()
  )
}

/**
 * Returns the token ids of a word, or undefined if the vocabulary does not cover it.
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
