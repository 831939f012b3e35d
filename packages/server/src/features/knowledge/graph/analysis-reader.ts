import {
  ANALYSIS_VERSION,
  type Cursor,
  type EntryKind,
  FREQUENCY_MAX,
  readHash,
  readVarint,
} from '../analyser/analysis-codec.ts'

/** What is told about a record while its analysis is read, in this order. */
export interface AnalysisSink {
  length(length: number): void
  /** `flags` is the frequency, with the bit above it set when the term stands in lower case somewhere. */
  term(hash: number, flags: number): void
  /** `flags` is the count with the bits of KEY_FLAG; `wordTerm` the position of a single word's term plus one, or 0. */
  key(hash: number, flags: number, wordTerm: number): void
  entries(count: number): void
  entry(key: number, kind: EntryKind, at: number, length: number): void
}

/** Bit of a term's flags: it stands in lower case somewhere in the record. */
export const LOWER_CASE = FREQUENCY_MAX + 1

/** Refuses an analysis of another version as a RangeError. */
export function checkVersion(bytes: Uint8Array): void {
  if (bytes[0] === ANALYSIS_VERSION) return
  throw new RangeError(`The analysis has version ${bytes[0]}; this program reads version ${ANALYSIS_VERSION}`)
}

/** Reads a stored analysis of this version into `sink`. */
export function readAnalysis(bytes: Uint8Array, sink: AnalysisSink): void {
  const input: Cursor = { bytes, at: 1 }
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
