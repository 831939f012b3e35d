/** What a commit did to a sandbox. */
export interface Changed {
  /** Commits that no upkeep has followed yet, this one with them. */
  commits: number
  /** Records that it wrote. */
  records: number
  /** Records that there are now. */
  recordsInAll: number
  /** It took records away, of which no old version is to stay for long. */
  isRemoving?: boolean
}
