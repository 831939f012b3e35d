import { availableParallelism } from 'node:os'
import { EncoderThread } from './encoder-thread.ts'
import { EncodingQueue } from './encoding-queue.ts'
import { MODEL_FOLDER, type ModelCard, pairModelFiles, readModelCard } from './model-folder.ts'

/** Thrown if too many questions wait for the encoder. */
export class EncoderBusy extends Error {
  override readonly name = 'EncoderBusy'
}

/** Comparison of texts with a question, by word and as a whole. */
export interface Comparison {
  /** Words of the question in order, in lower case without accents. Punctuation marks are words too. */
  readonly words: readonly string[]
  /**
   * Late-interaction scores of each text, by word: 1 if the text contains the word in the same sense, less for similar
   * words. A word's score is the mean over its tokens of the greatest cosine similarity to a token of the text, in the
   * last layer (Khattab and Zaharia, ColBERT, 2020).
   */
  readonly termScores: readonly Float32Array[]
  /** Cosine similarity of each text to the question. */
  readonly similarities: readonly number[]
}

/** Judgement of a claim by its evidence. */
export interface Support {
  readonly probability: number
  /** True if the probability is at least the minimum of the model's `config.json`. */
  readonly isSupported: boolean
}

/** An embedding model that is ready for use. */
export interface Encoder {
  readonly card: ModelCard
  /**
   * Returns a vector of length 1 for each text, in order. Only the first `card.tokensMax` tokens are read. Equal texts
   * have identical vectors. Throws EncoderBusy if `WAITING_MAX` calls are waiting, and the signal's reason if it is
   * aborted.
   */
  encode(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  /**
   * Encodes texts in the background, at a lower priority on Linux. Uses two cores, or one while a question is
   * processed. Never throws EncoderBusy.
   */
  encodeLater(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>
  /**
   * Compares texts with the words of a question. It runs after pending `encode` calls and throws the same errors.
   * Returns undefined if the model has no token output.
   */
  compare(question: string, texts: readonly string[], signal?: AbortSignal): Promise<Comparison | undefined>
  /**
   * Decides if a text supports a claim, with the pair model ([model card](../pairs/MODEL_CARD.md)). Both texts are in
   * English. The model reads 62 tokens of the claim, and 128 tokens in total. Throws the same errors as `encode`.
   */
  supports(claim: string, evidence: string, signal?: AbortSignal): Promise<Support>
  /** Closes the encoder after the texts in progress. Waiting calls fail immediately. */
  close(): Promise<void>
}

/** Maximum number of waiting calls of `encode` and `compare`. A further call would have to wait for too long. */
export const WAITING_MAX = 8

/** Number of background threads. Each has a copy of the model, about 40 MB. */
const BACKGROUND_THREADS = Math.min(2, availableParallelism())

/**
 * Opens the model in a folder, by default the bundled one. The folder has `model.onnx` (inputs `input_ids` and
 * `attention_mask`; outputs `vector`, one normalized row per text, and `tokens`, one row per token), `vocab.txt`
 * (WordPiece, uncased) and `config.json` (ModelCard). Throws EncoderUnavailable if the runtime or a file is missing, or
 * a digest differs.
 */
export async function openEncoder(folder: string = MODEL_FOLDER): Promise<Encoder> {
  const card = readModelCard(folder)
  const { supportedMin } = pairModelFiles()
  const foreground = new EncoderThread(card, folder, 'asked')
  await foreground.ready
  const queue = new EncodingQueue(foreground, () => new EncoderThread(card, folder, 'later'), BACKGROUND_THREADS)
  const assertFree = () => {
    if (queue.waiting >= WAITING_MAX) {
      throw new EncoderBusy(`The encoder is busy: ${WAITING_MAX} calls are waiting. Try again later`)
    }
  }
  return {
    card,
    encode: async (texts, signal) => {
      assertFree()
      return (await queue.read('asked', { texts, signal })).vectors
    },
    encodeLater: async (texts, signal) => (await queue.read('later', { texts, signal })).vectors,
    compare: async (question, texts, signal) => {
      if (!foreground.isComparing) return undefined
      assertFree()
      const { words, vectors, similarities } = await queue.read('compared', { texts, signal, question })
      return { words: words ?? [], termScores: vectors, similarities }
    },
    supports: async (claim, evidence, signal) => {
      assertFree()
      const { vectors } = await queue.read('asked', { texts: [evidence], signal, claim })
      const probability = vectors[0]![0]!
      return { probability, isSupported: probability >= supportedMin }
    },
    close: () => queue.close(),
  }
}
