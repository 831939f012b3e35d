import { sha256 } from '../../base/digest.ts'

/** A node that can be a home node, with its URL. */
export interface Place {
  readonly id: string
  readonly url: string
}

/**
 * Returns the home node of a sandbox by rendezvous hashing. Every node computes the same result. If a node leaves, only
 * its own sandboxes move. Hashes the URL, so a restarted node keeps its sandboxes. Undefined if there are no nodes.
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
