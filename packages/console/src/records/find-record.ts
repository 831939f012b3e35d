import { type Cairn, ForbiddenError, type KnowledgeRecord, NotFoundError } from '@cairnstore/client'

/** Sandboxes that are asked at once. */
const AT_ONCE = 6

/** The record, and the sandbox that it was found in. */
interface FoundRecord {
  record: KnowledgeRecord
  sandboxId: string
}

/**
 * A record by its id alone, as an address names it: looked for in the sandbox that is shown, then in the others. Throws
 * what the first one said where none has it.
 */
export async function findRecord(
  cairn: Cairn,
  recordId: string,
  [shown, ...others]: readonly [string, ...string[]],
): Promise<FoundRecord> {
  try {
    return await look(cairn, recordId, shown)
  } catch (error) {
    if (!isElsewhere(error)) throw error
    const left = [...others]
    while (left.length > 0) {
      const asked = await Promise.allSettled(left.splice(0, AT_ONCE).map((id) => look(cairn, recordId, id)))
      const found = asked.find((each) => each.status === 'fulfilled')
      if (found) return found.value
      for (const each of asked) if (each.status === 'rejected' && !isElsewhere(each.reason)) throw each.reason
    }
    throw error
  }
}

async function look(cairn: Cairn, recordId: string, sandboxId: string): Promise<FoundRecord> {
  return { sandboxId, record: await cairn.getRecord({ sandbox_id: sandboxId, record_id: recordId }) }
}

/** Whether it may be in another sandbox: this one has it not, or is closed by a key that is not held. */
function isElsewhere(error: unknown): boolean {
  return error instanceof NotFoundError || error instanceof ForbiddenError
}
