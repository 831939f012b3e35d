import type { Provider, Source } from '@cairnstore/client'
import { fromApi, t } from '../language/language.ts'
import { plainLine } from './plain.ts'
import { typeName } from './words.ts'

/** Descriptions of the ingestion modes. */
const MODES: Readonly<Record<Source['ingestion_mode'], string>> = {
  realtime: t('by webhook'),
  polling: t('by polling'),
  batch: t('sent in batches'),
  manual: t('added by hand or API'),
}

/** Returns the product and ingestion mode of a source, such as `GitHub, by webhook`. */
export function sourceOrigin({ provider, ingestion_mode: mode }: Source, providers?: readonly Provider[]): string {
  return `${productName(provider, providers)}, ${MODES[mode]}`
}

/** Returns the name of a product that can be connected. */
function productName(provider: string, providers: readonly Provider[] = []): string {
  const known = providers.find((each) => each.provider === provider || each.aliases.includes(provider))
  return plainLine(known ? fromApi(known.name) : typeName(provider))
}
