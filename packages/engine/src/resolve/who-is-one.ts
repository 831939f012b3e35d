/** Two subjects that are or may be one, how sure that is, and what agrees. */
export interface Alike {
  one: string
  other: string
  /** From 0 to 1, as the data itself tells. */
  probability: number
  agree: string[]
  differ: string[]
}

/** What a comparison comes to. */
export interface WhoIsOne {
  /** Taken for one. */
  same: Alike[]
  /** Likely enough for a person to decide on; never two that `same` makes one. */
  maybe: Alike[]
}
