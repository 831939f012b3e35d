import { MODEL_FOLDER, type ModelCard, readModelCard } from './model-folder.ts'
import { ReadingThread } from './reading-thread.ts'

/** The queue of questions for the reader is full. */
export class ReaderBusy extends Error {
  override readonly name = 'ReaderBusy'
}

/** Words of a question, and of each text how much of each word it says and how alike both are as a whole. */
export interface Comparison {
  /** In the question's order, in lower case without accents; signs of punctuation are words too. */
  readonly words: readonly string[]
  /**
   * By text, then by word: 1 where the text says the word in the same sense, less where it says something like it. A
   * word's pieces are compared with those of the text by the cosines of their vectors in the last layer, the greatest
   * of each counts, and the mean of them is the word's (late interaction: Khattab and Zaharia, ColBERT, 2020).
   */
  readonly said: readonly Float32Array[]
  /** By text: the cosine of its vector and the question's. */
  readonly alike: readonly number[]
}

/** A sentence model that is ready to read. */
export interface Reader {
  readonly card: ModelCard
  /**
   * A vector of length 1 for each text, in their order, of the first `card.tokensMax` tokens of each. Equal texts have
   * equal vectors, bit by bit. Throws a ReaderBusy while `ASKED_MAX` others wait, and the signal's reason.
   */
  encode(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  /** The same for what nobody waits for, at a lower priority (on Linux). It is never busy. */
  encodeLater(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  /**
   * How much of each word of a question some texts say, read after what `encode` was given and refused like that;
   * undefined where the model gives no tokens.
   */
  compare(question: string, texts: readonly string[], signal?: AbortSignal): Promise<Comparison | undefined>
  /** Ends once the texts that are being read are read; what waits fails at once. */
  close(): Promise<void>
}

/** Calls of `encode` and `compare` that may wait at a time: the last of more would wait longer than an answer takes. */
export const ASKED_MAX = 8

/**
 * Opens the model of a folder, that of this package when none is named: `model.onnx` (token ids `input_ids` and
 * `attention_mask` → `vector`, one row of length 1 for each text, and `tokens`, one for each token), `vocab.txt`
 * (WordPiece, uncased) and `config.json` (ModelCard). Throws a ReaderMissing that says what is missing: the runtime, a
 * file, or the one whose digest is known.
 */
export async function openReader(folder: string = MODEL_FOLDER): Promise<Reader> {
  const card = readModelCard(folder)
  const asked = new ReadingThread(card, folder, 'asked')
  await asked.ready
  // It has the model a second time, from the first text on.
  let later: ReadingThread | undefined
  let isClosed = false
  const assertFree = () => {
    if (asked.waiting >= ASKED_MAX) throw new ReaderBusy(`${ASKED_MAX} questions wait for the reader`)
  }
  return {
    card,
    encode: async (texts, signal) => {
      assertFree()
      return (await asked.read({ texts, signal })).vectors
    },
    encodeLater: async (texts, signal) => {
      // What is closed opens no thread, and the first refuses for both.
      if (!isClosed) later ??= new ReadingThread(card, folder, 'later')
      return (await (later ?? asked).read({ texts, signal })).vectors
    },
    compare: async (question, texts, signal) => {
      if (!asked.isComparing) return undefined
      assertFree()
      const { words, vectors, alike } = await asked.read({ texts, signal, question })
      return { words: words ?? [], said: vectors, alike }
    },
    close: async () => {
      isClosed = true
      await Promise.all([asked.close(), later?.close()])
    },
  }
}
