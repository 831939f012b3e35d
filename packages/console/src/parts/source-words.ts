import type { Provider, Source } from '@cairnstore/client'
import { plainLine } from './plain.ts'
import { typeName } from './words.ts'

/** How records of a source come, for people. */
const MODES: Readonly<Record<Source['ingestion_mode'], string>> = {
  realtime: 'by webhook',
  polling: 'by polling',
  batch: 'sent in batches',
  manual: 'sent in',
}

/** Where records of a source come from and how: `GitHub, by webhook`. */
export function sourceOrigin({ provider, ingestion_mode: mode }: Source, providers?: readonly Provider[]): string {
  return `${productName(provider, providers)}, ${MODES[mode]}`
}

/** What a product calls itself, where it is one of those that can be connected. */
function productName(provider: string, providers: readonly Provider[] = []): string {
  const known = providers.find((each) => each.provider === provider || each.aliases.includes(provider))
  return plainLine(known?.name ?? typeName(provider))
}
