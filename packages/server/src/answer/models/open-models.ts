import type { Static, TSchema } from '@cairnstore/contract'
import type { EndpointConfig, ModelsConfig, RecogniserConfig } from '../../config/models.ts'
import type { Secrets } from '../../config/secrets.ts'
import { type Recogniser, type Recognisers, Refusal, type Unrecognised } from '../../documents/document.ts'
import { openReadingTurns } from '../../documents/reading-turns.ts'
import type { Reading } from '../../store/open-reading.ts'
import type { Planes } from '../../store/planes.ts'
import { type CallType, countModelUse } from './count-model-use.ts'
import { ModelFailure, type ModelRequest, type ModelUse, WARNINGS } from './model.ts'
import type { AskedVectors } from './open-embedder.ts'
import { type Guard, openGuard } from './open-guard.ts'
import type { AskedOrder } from './open-reranker.ts'
import { type Embedder, readerEmbedder } from './reader-embedder.ts'

export type { Embedder }

/** The models that are used, each charged to an account and guarded; everything works without any of them. */
export interface Models {
  /** Writes; throws what a Guard throws. */
  readonly writer?: Writer
  /** Orders texts by how well they answer a question; throws what a Guard throws. */
  readonly reranker?: Reranker
  /** Makes vectors; throws what a Guard throws. */
  readonly embedder?: Embedder
  /** Read pictures and sounds. */
  readonly recognisers?: Recognisers
}

/** The language model as the program uses it. */
export interface Writer {
  /** The elements that the model writes. */
  ask<S extends TSchema>(accountId: string, asked: ModelRequest<S>): AsyncGenerator<Static<S>, void>
}

/** The reranker as the program uses it. */
interface Reranker {
  /** Indexes of the texts, the one that answers best first; some may be left out. */
  order(accountId: string, asked: AskedOrder): Promise<number[]>
}

/** How long a request for vectors of records may take. */
const TEXTS_MS_MAX = 60_000

/** Opens the models that are configured; the reader makes vectors. What speaks to a model is loaded for it alone. */
export async function openModels(
  { writer, reranker, embedder, vision, transcriber }: ModelsConfig,
  keys: Secrets['modelKeys'],
  planes: Pick<Planes, 'sql' | 'clock' | 'log'>,
  reading?: Reading,
): Promise<Models> {
  const guardOf = (endpoint: EndpointConfig, callType: CallType, outputPriceUsd = 0): Guard => {
    const { clock, log } = planes
    const charged = { endpoint, callType, outputPriceUsd }
    return openGuard({ clock, log, count: (accountId, use) => countModelUse(planes, accountId, use, charged) })
  }
  const models: { -readonly [M in keyof Models]: Models[M] } = {}
  if (reading) models.embedder = readerEmbedder(reading)
  if (writer) {
    const { openModel } = await import('./open-model.ts')
    const model = openModel(writer, keys.writer)
    const guard = guardOf(writer, 'write', writer.outputPriceUsd)
    models.writer = { ask: (accountId, asked) => guard(accountId, () => model.ask(asked)) }
  }
  if (reranker) {
    const { openReranker } = await import('./open-reranker.ts')
    const order = openReranker(reranker, keys.reranker)
    const guard = guardOf(reranker, 'rerank')
    models.reranker = {
      order: async (accountId, asked) => {
        const indexes: number[] = []
        for await (const index of guard(accountId, () => order(asked))) indexes.push(index)
        return indexes
      },
    }
  }
  if (embedder) {
    const { openEmbedder } = await import('./open-embedder.ts')
    const embed = openEmbedder(embedder, keys.embedder)
    // One for questions and one for records: what wears the model out in bulk does not take it from who waits.
    const [asking, filling] = [guardOf(embedder, 'embed'), guardOf(embedder, 'embed')]
    const run = async (guard: Guard, accountId: string, prefix: string, asked: AskedVectors) => {
      const texts = prefix === '' ? asked.texts : asked.texts.map((text) => `${prefix} ${text}`)
      const vectors: number[][] = []
      for await (const vector of guard(accountId, () => embed({ ...asked, texts }))) vectors.push(vector)
      return vectors
    }
    const { timeoutMs, queryPrefix, textPrefix } = embedder
    models.embedder = {
      config: embedder,
      understands: () => true,
      question: async (accountId, text, signal) => {
        const [vector] = await run(asking, accountId, queryPrefix, { texts: [text], timeoutMs, signal })
        return vector as number[]
      },
      texts: (accountId, texts, signal) =>
        run(filling, accountId, textPrefix, { texts, timeoutMs: TEXTS_MS_MAX, signal }),
    }
  }
  const recognisers: { -readonly [K in keyof Recognisers]: Recogniser } = {}
  if (vision) {
    const { openVision, PICTURE_BYTES_MAX } = await import('./open-vision.ts')
    const tools = { guard: guardOf(vision, 'vision'), read: openVision(vision, keys.vision) }
    recognisers.picture = recogniserOf(vision, { way: 'vision', bytesMax: PICTURE_BYTES_MAX, ...tools })
  }
  if (transcriber) {
    const { openTranscriber, SOUND_BYTES_MAX } = await import('./open-transcriber.ts')
    const tools = { guard: guardOf(transcriber, 'transcribe'), read: openTranscriber(transcriber, keys.transcriber) }
    recognisers.sound = recogniserOf(transcriber, { way: 'transcription', bytesMax: SOUND_BYTES_MAX, ...tools })
  }
  return { ...models, recognisers }
}

/** What a recogniser is made of: what reads a file, behind its guard. */
interface RecogniserParts {
  way: string
  bytesMax: number
  guard: Guard
  read(file: Unrecognised): AsyncGenerator<string, ModelUse>
}

/** A recogniser that reads one file after the other, in the order in which they come. */
function recogniserOf({ name }: RecogniserConfig, { way, bytesMax, guard, read }: RecogniserParts): Recogniser {
  const takeTurn = openReadingTurns(1)
  return {
    way,
    model: name,
    bytesMax,
    read: async (accountId, file) => {
      const done = await takeTurn()
      try {
        file.signal.throwIfAborted()
        let text = ''
        for await (const piece of guard(accountId, () => read(file))) text += piece
        return text
      } catch (cause) {
        if (!(cause instanceof ModelFailure)) throw cause
        const detail = `The model that reads such files ${WARNINGS[cause.kind]}; add the file again later.`
        throw new Refusal('not_recognised', detail)
      } finally {
        done()
      }
    },
  }
}
