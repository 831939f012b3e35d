/** Cache of recently read records by row. Rows are immutable, so entries are never stale. */
export interface RecordCache<T> {
  get(key: string): T | undefined
  put(key: string, value: T, bytes: number): void
  /** Drops every record whose key has this prefix. */
  dropPrefix(keyPrefix: string): void
}

/** Creates an LRU cache of at most `bytesMax` bytes. */
export function createRecordCache<T>(bytesMax: number): RecordCache<T> {
  const entries = new Map<string, { value: T; bytes: number }>()
  let bytesHeld = 0
  return {
    get(key) {
      const found = entries.get(key)
      if (!found) return undefined
      entries.delete(key)
      entries.set(key, found)
      return found.value
    },
    put(key, value, bytes) {
      bytesHeld += bytes - (entries.get(key)?.bytes ?? 0)
      entries.delete(key)
      entries.set(key, { value, bytes })
      for (const [oldest, entry] of entries) {
        if (bytesHeld <= bytesMax) return
        entries.delete(oldest)
        bytesHeld -= entry.bytes
      }
    },
    dropPrefix(keyPrefix) {
      for (const [key, entry] of entries) {
        if (!key.startsWith(keyPrefix)) continue
        entries.delete(key)
        bytesHeld -= entry.bytes
      }
    },
  }
}
