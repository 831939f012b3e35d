import type { Static, TSchema } from '@cairn/contract'
import type { EndpointConfig, ModelsConfig } from '../../config/models.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { Planes } from '../handler.ts'
import { countModelUse } from './count-model-use.ts'
import type { Asked } from './model.ts'
import { type Guard, openGuard } from './open-guard.ts'
import type { AskedOrder } from './open-reranker.ts'

/** The models that are used, each charged to an account and guarded; everything works without any of them. */
export interface Models {
  /** Writes; throws what a Guard throws. */
  readonly writer?: Writer
  /** Orders texts by how well they answer a question; throws what a Guard throws. */
  readonly reranker?: Reranker
}

/** The language model as the program uses it. */
export interface Writer {
  /** The elements that the model writes. */
  ask<S extends TSchema>(accountId: string, asked: Asked<S>): AsyncGenerator<Static<S>, void>
}

/** The reranker as the program uses it. */
export interface Reranker {
  /** Indexes of the texts, the one that answers best first; some may be left out. */
  order(accountId: string, asked: AskedOrder): Promise<number[]>
}

/** Opens the models that are configured. What speaks to them is loaded for them alone. */
export async function openModels(
  { writer, reranker }: ModelsConfig,
  keys: Secrets['modelKeys'],
  planes: Pick<Planes, 'sql' | 'clock' | 'log'>,
): Promise<Models> {
  const guardOf = ({ inputPriceUsd: inputUsd }: EndpointConfig, outputUsd: number): Guard => {
    const { clock, log } = planes
    return openGuard({
      clock,
      log,
      count: (accountId, use) => countModelUse(planes, accountId, use, { inputUsd, outputUsd }),
    })
  }
  const models: { -readonly [M in keyof Models]: Models[M] } = {}
  if (writer) {
    const { openModel } = await import('./open-model.ts')
    const model = openModel(writer, keys.writer)
    const guard = guardOf(writer, writer.outputPriceUsd)
    models.writer = { ask: (accountId, asked) => guard(accountId, () => model.ask(asked)) }
  }
  if (reranker) {
    const { openReranker } = await import('./open-reranker.ts')
    const order = openReranker(reranker, keys.reranker)
    const guard = guardOf(reranker, 0)
    models.reranker = {
      order: async (accountId, asked) => {
        const indexes: number[] = []
        for await (const index of guard(accountId, () => order(asked))) indexes.push(index)
        return indexes
      },
    }
  }
  return models
}
