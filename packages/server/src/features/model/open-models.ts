import type { ModelsConfig } from '../../config/models.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { Planes } from '../handler.ts'
import { countModelUse } from './count-model-use.ts'
import { openWriter, type Writer, type WriterTools } from './open-writer.ts'

/** The models that are used; everything works without any of them. */
export interface Models {
  readonly writer?: Writer
}

/** Opens the models that are configured. What speaks to them is loaded for them alone. */
export async function openModels(
  { writer }: ModelsConfig,
  keys: Secrets['modelKeys'],
  planes: Pick<Planes, 'sql' | 'clock' | 'log'>,
): Promise<Models> {
  if (writer === null) return {}
  const { openModel } = await import('./open-model.ts')
  const prices = { inputUsd: writer.inputPriceUsd, outputUsd: writer.outputPriceUsd }
  const { clock, log } = planes
  const count: WriterTools['count'] = (accountId, use) => countModelUse(planes, accountId, use, prices)
  return { writer: openWriter(openModel(writer, keys.writer), { clock, log, count }) }
}
