import { type Runs, runsBytes } from './runs.ts'

/** The signs of vectors by place; nothing takes memory before the first of them comes. */
export interface VectorTables {
  runs: Runs | undefined
  /** The run of each place's code, or 0. */
  addresses: Uint32Array
  /** By a record's place, where its vectors are stored + 1; 0 for a record without. */
  rows: Float64Array
  /** Records that have some. */
  count: number
}

/** Tables without vectors. */
export function createVectorTables(): VectorTables {
  return { runs: undefined, addresses: new Uint32Array(0), rows: new Float64Array(0), count: 0 }
}

/** Bytes that the tables take. */
export function vectorBytes({ runs, addresses, rows }: VectorTables): number {
  return (runs ? runsBytes(runs) : 0) + addresses.byteLength + rows.byteLength
}
