import {
  ANALYSIS_VERSION,
  ANALYSIS_VERSION_WITH_PASSAGES,
  ANALYSIS_VERSION_WITHOUT_TURN,
  type Cursor,
  ENTRY_KIND,
  type EntryKind,
  FREQUENCY_MAX,
  KEY_FLAG,
  readHash,
  readVarint,
  TURN_FLAG,
} from '../text/analysis-codec.ts'

/** Callbacks that receive a record's analysis while it is decoded. They are called in this order. */
export interface AnalysisSink {
  length(length: number): void
  /** `flags` is the term's frequency, plus LOWER_CASE if the record has the term in lower case. */
  term(hash: number, flags: number): void
  /** `flags`: mention count and bits of KEY_FLAG. `wordTerm`: 1 + index of the term of a one-word name, or 0. */
  key(hash: number, flags: number, wordTerm: number): void
  entries(count: number): void
  entry(key: number, kind: EntryKind, at: number, length: number): void
  /** `flags` has bits of TURN_FLAG. `author` is 1 + the index of the author's key, or 0. */
  turn(conversation: number, flags: number, position: number, author: number): void
}

/** Bit in a term's flags: the term occurs in lower case at least once in the record. */
export const LOWER_CASE = FREQUENCY_MAX + 1

const VERSIONS: readonly unknown[] = [ANALYSIS_VERSION, ANALYSIS_VERSION_WITH_PASSAGES, ANALYSIS_VERSION_WITHOUT_TURN]

/** Throws a RangeError if the analysis has an unsupported version. */
export function checkVersion(bytes: Uint8Array): void {
  if (VERSIONS.includes(bytes[0])) return
  throw new RangeError(
    `The analysis has version ${bytes[0]}, but this program supports versions up to ` +
      `${ANALYSIS_VERSION_WITH_PASSAGES}. Update the program.`,
  )
}

function readText(input: Cursor, sink: Omit<AnalysisSink, 'turn'>): void {
  const { bytes } = input
  sink.length(readVarint(input))
  for (let left = readVarint(input); left > 0; left -= 1) sink.term(readHash(input), bytes[input.at++]!)
  for (let left = readVarint(input); left > 0; left -= 1) {
    const hash = readHash(input)
    const flags = bytes[input.at++]!
    sink.key(hash, flags, readVarint(input))
  }
  const entries = readVarint(input)
  sink.entries(entries)
  for (let left = entries; left > 0; left -= 1) {
    const key = readVarint(input)
    const at = readVarint(input)
    const shape = bytes[input.at++]!
    sink.entry(key, (shape & 15) as EntryKind, at, shape >>> 4)
  }
}

/** Decodes a stored analysis into `sink`. Each passage after the first is decoded into a sink from `passageSink`. */
export function readAnalysis(bytes: Uint8Array, sink: AnalysisSink, passageSink: () => AnalysisSink): void {
  const input: Cursor = { bytes, at: 1 }
  readText(input, sink)
  if (bytes[0] === ANALYSIS_VERSION_WITHOUT_TURN) return
  const flags = bytes[input.at++]!
  const conversation = flags & TURN_FLAG.placed ? readHash(input) : 0
  const position = readVarint(input)
  sink.turn(conversation, flags, position, readVarint(input))
  if (bytes[0] !== ANALYSIS_VERSION_WITH_PASSAGES) return
  for (let left = readVarint(input); left > 0; left -= 1) readText(input, passageSink())
}

const ignore = () => undefined

/** Returns the hashed keys that an analysis declares. */
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
