import { type Cairn, ForbiddenError, type KnowledgeRecord, NotFoundError } from '@cairnstore/client'

/** Number of sandboxes that are queried concurrently. */
const CONCURRENT_REQUESTS = 6

/** A record with the sandbox that contains it. */
interface FoundRecord {
  record: KnowledgeRecord
  sandboxId: string
}

/**
 * Finds a record by its id, as given in a URL. Searches the current sandbox first, then the others. If none has it,
 * throws the error of the first sandbox.
 */
export async function findRecord(
  cairn: Cairn,
  recordId: string,
  [shown, ...others]: readonly [string, ...string[]],
): Promise<FoundRecord> {
  try {
    return await getFrom(cairn, recordId, shown)
  } catch (error) {
    if (!isElsewhere(error)) throw error
    const left = [...others]
    while (left.length > 0) {
      const results = await Promise.allSettled(
        left.splice(0, CONCURRENT_REQUESTS).map((id) => getFrom(cairn, recordId, id)),
      )
      const found = results.find((each) => each.status === 'fulfilled')
      if (found) return found.value
      for (const each of results) if (each.status === 'rejected' && !isElsewhere(each.reason)) throw each.reason
    }
    throw error
  }
}

async function getFrom(cairn: Cairn, recordId: string, sandboxId: string): Promise<FoundRecord> {
  return { sandboxId, record: await cairn.getRecord({ sandbox_id: sandboxId, record_id: recordId }) }
}

/**
 * Returns true if the record may be in another sandbox: this one does not have it, or needs a key that was not entered.
 */
function isElsewhere(error: unknown): boolean {
  return error instanceof NotFoundError || error instanceof ForbiddenError
}
