import { sha256 } from '../../base/digest.ts'

/** A node that has places for sandboxes, by where the others reach it. */
export interface Place {
  readonly id: string
  readonly url: string
}

/**
 * Where a sandbox has its place among these nodes, by rendezvous hashing: each node that asks finds the same, and when
 * a node goes only what was there moves. A node is known by its address, so that one which starts again has the places
 * that it had. Undefined where there are none.
 */
export function placeAmong<P extends Place>(sandboxId: string, places: readonly P[]): P | undefined {
  let best: P | undefined
  let bestWeight: Uint8Array = new Uint8Array()
  for (const place of places) {
    const weight = sha256(`${place.url}\n${sandboxId}`)
    if (Buffer.compare(weight, bestWeight) <= 0) continue
    best = place
    bestWeight = weight
  }
  return best
}
