/** Owners of the bucket that stores a sandbox: the platform, or the customer. */
export const BUCKETS = ['platform', 'own'] as const

/** Circuit breaker counts for one kind of bucket. There is one breaker per sandbox folder. */
export interface BreakerCounts {
  bucket: (typeof BUCKETS)[number]
  open: number
  /** Number of times that a breaker opened since the process started. */
  opened: number
}
