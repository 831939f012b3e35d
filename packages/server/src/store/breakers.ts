/** Whose bucket a sandbox is stored in: the platform's, or one of the customer's own. */
export const BUCKETS = ['platform', 'own'] as const

/** The breakers of the sandboxes in a kind of bucket; one is open while the sandbox's store is left alone. */
export interface BreakerCounts {
  bucket: (typeof BUCKETS)[number]
  open: number
  /** How often one opened since the program began. */
  opened: number
}
