/** Above any number of versions a dataset reaches: a thousand commits a second need fifty days for it, and upkeep of
 * an erasure starts a new generation. 2^21 generations fit into a safe integer. */
const VERSIONS_MAX = 2 ** 32

/**
 * One state of one dataset: which directory (a generation is never written again once it is left) and which version.
 */
export interface Place {
  readonly generation: number
  readonly version: number
}

/** Packs a place into the one number that the head keeps. */
export function packPlace(place: Place): number {
  return place.generation * VERSIONS_MAX + place.version
}

/** Undoes packPlace; 0 gives version 0, a dataset that does not exist. */
export function unpackPlace(packed: number): Place {
  return { generation: Math.floor(packed / VERSIONS_MAX), version: packed % VERSIONS_MAX }
}
