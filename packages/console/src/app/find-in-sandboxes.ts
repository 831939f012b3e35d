import { ForbiddenError, NotFoundError } from '@cairnstore/client'

/** Number of sandboxes that are queried concurrently. */
const CONCURRENT_REQUESTS = 6

/** An object with the sandbox that contains it. */
interface FoundObject<Found> {
  found: Found
  sandboxId: string
}

/**
 * Finds an object by an address that does not contain its sandbox. Searches the current sandbox first, then the others.
 * If none has it, throws the error of the first one.
 */
export async function findInSandboxes<Found>(
  getFrom: (sandboxId: string) => Promise<Found>,
  [shown, ...others]: readonly [string, ...string[]],
): Promise<FoundObject<Found>> {
  const get = async (sandboxId: string) => ({ sandboxId, found: await getFrom(sandboxId) })
  try {
    return await get(shown)
  } catch (error) {
    if (!isElsewhere(error)) throw error
    const left = [...others]
    while (left.length > 0) {
      const results = await Promise.allSettled(left.splice(0, CONCURRENT_REQUESTS).map(get))
      const found = results.find((each) => each.status === 'fulfilled')
      if (found) return found.value
      for (const each of results) if (each.status === 'rejected' && !isElsewhere(each.reason)) throw each.reason
    }
    throw error
  }
}

/**
 * Returns true if the object may be in another sandbox, because this one does not have it or is still locked by a key.
 */
function isElsewhere(error: unknown): boolean {
  return error instanceof NotFoundError || error instanceof ForbiddenError
}
