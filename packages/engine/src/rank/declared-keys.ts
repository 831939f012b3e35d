import { ENTRY_KIND, KEY_FLAG } from '../text/analysis-codec.ts'
import { type AnalysisSink, readAnalysis } from './analysis-reader.ts'

const ignore = () => undefined

/** The keys, as hashes, of the things that a record's analysis declares: a whole sandbox has an entity with each. */
export function declaredKeys(analysis: Uint8Array): number[] {
  const keys: number[] = []
  const declared = new Set<number>()
  const sink: AnalysisSink = {
    length: ignore,
    term: ignore,
    key: (hash, flags) => {
      if ((flags & KEY_FLAG.declared) !== 0) declared.add(keys.length)
      keys.push(hash)
    },
    entries: ignore,
    entry: (key, kind) => {
      if (kind === ENTRY_KIND.declared) declared.add(key)
    },
    turn: ignore,
  }
  readAnalysis(analysis, sink, () => ({ ...sink, key: ignore, entry: ignore }))
  return [...declared].flatMap((at) => keys[at] ?? [])
}
