/** Cache of recently read records by row. Rows are immutable, so entries are never stale. */
export interface RecordCache<T> {
  get(key: string): T | undefined
  put(key: string, value: T, bytes: number): void
  /** Drops every record whose key has this prefix. */
  forget(keyPrefix: string): void
}

/** Creates an LRU cache of at most `bytesMax` bytes. */
export function createRecordCache<T>(bytesMax: number): RecordCache<T> {
  const held = new Map<string, { value: T; bytes: number }>()
  let bytesHeld = 0
  return {
    get(key) {
      const found = held.get(key)
      if (!found) return undefined
      held.delete(key)
      held.set(key, found)
      return found.value
    },
    put(key, value, bytes) {
      bytesHeld += bytes - (held.get(key)?.bytes ?? 0)
      held.delete(key)
      held.set(key, { value, bytes })
      for (const [oldest, entry] of held) {
        if (bytesHeld <= bytesMax) return
        held.delete(oldest)
        bytesHeld -= entry.bytes
      }
    },
    forget(keyPrefix) {
      for (const [key, entry] of held) {
        if (!key.startsWith(keyPrefix)) continue
        held.delete(key)
        bytesHeld -= entry.bytes
      }
    },
  }
}
