import { sha256 } from '../../base/digest.ts'

/** A node that can be a home node, with its URL. */
export interface HomeNode {
  readonly id: string
  readonly url: string
}

/**
 * Returns the home node of a sandbox by rendezvous hashing. Every node computes the same result. If a node leaves, only
 * its own sandboxes move. Hashes the URL, so that a restarted node keeps its sandboxes. Undefined without nodes.
 */
export function pickHomeNode<P extends HomeNode>(sandboxId: string, nodes: readonly P[]): P | undefined {
  let best: P | undefined
  let bestWeight: Uint8Array = new Uint8Array()
  for (const node of nodes) {
    const weight = sha256(`${node.url}\n${sandboxId}`)
    if (Buffer.compare(weight, bestWeight) <= 0) continue
    best = node
    bestWeight = weight
  }
  return best
}
