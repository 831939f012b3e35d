import type { ContentSeal } from '../tenancy/caller-keys/content-seal.ts'
import { writeGraphFile } from './graph-file.ts'
import { imageOf } from './graph-images.ts'
import type { OpenedSandbox } from './opened-sandbox.ts'

/** A graph of fewer records is built within a tenth of a second. */
const RECORDS_MIN = 2_000
/** An image is written anew once so large a part of its rows is newer, which a reader of it has to bring in. */
const CHANGED_SHARE = 16

/** An image that was written, as it was at a commit; it counts once the head names it. */
export interface KeptImage {
  readonly seq: number
  readonly keyEpoch: number | null
  /** Says that the head names it. */
  named(): void
}

/** Whether so much is new in a graph that an image of it would spare a reader more than it costs. */
export function isImageDue({ graph, changes }: OpenedSandbox): boolean {
  return graph.recordCount >= RECORDS_MIN && changes * CHANGED_SHARE >= graph.recordCount
}

class GraphChanged extends Error {
  override name = 'GraphChanged'
}

/**
 * Writes an image of what is held of a sandbox under a name, in pieces between which other work is let in. Undefined
 * when the graph changes meanwhile, and where the sandbox is under a key that is not here.
 */
export async function keepImage(
  sandboxId: string,
  opened: OpenedSandbox,
  name: string,
  seal: ContentSeal | undefined,
  breathe: () => Promise<void> | undefined,
): Promise<KeptImage | undefined> {
  const { head, changes, place } = opened
  const { seq, keyEpoch } = head
  if (keyEpoch !== null && seal?.epoch !== keyEpoch) return undefined
  const assertSame = (): void => {
    if (opened.head !== head) throw new GraphChanged()
  }
  const access = { store: place.store, seal: keyEpoch === null ? undefined : seal }
  try {
    await writeGraphFile(access, name, imageOf(sandboxId, opened), { assertSame, breathe })
  } catch (error) {
    if (error instanceof GraphChanged) return undefined
    throw error
  }
  return {
    seq,
    keyEpoch,
    named: () => {
      opened.changes -= changes
    },
  }
}
