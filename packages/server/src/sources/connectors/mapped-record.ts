import type { RecordInput } from '@cairn/contract'

/** What a source's adapter_config and registration say to its connector. */
export interface Settings {
  readonly config: Readonly<Record<string, unknown>>
  /** The account at the provider, such as a workspace. */
  readonly accountId: string | null
}

/** A record as the contract has it, and the moment of the version that it shows, when the provider says it. */
export interface MappedRecord extends RecordInput {
  /** RFC 3339. An older version never replaces a newer one. */
  as_of?: string
  /** The site of the product that tells it, where external ids of another site may be the same. */
  site?: string
}
