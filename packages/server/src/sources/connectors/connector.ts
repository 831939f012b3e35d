import { type Ignored, type MappedRecord, type MappingResult, recordsIn, type Settings } from './draft.ts'
import type { Pull } from './pull.ts'

/** One delivery of a provider: its headers, names in lower case, and its body. */
export interface Delivered {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed JSON, or the text of a body that is none. Nothing about its shape is known yet. */
  readonly body: unknown
  readonly settings: Settings
}

/** What a delivery comes to. */
export interface Mapped {
  /** The provider's own name of what happened, such as `issues.opened`. */
  readonly event: string
  /** Records to write; those with `deleted` withdraw what was written under their external id. */
  readonly records: MappedRecord[]
  /** Why there are no records, when there are none. */
  readonly ignored?: Ignored
}

/** How a provider proves that it sent a body. */
export interface Signature {
  /** Headers without which no delivery of the provider is signed. */
  readonly header: string
  /** Whether the delivery was signed with the secret. `nowMs` is for those that carry the time of sending. */
  verify(secret: string, headers: Delivered['headers'], body: Uint8Array, nowMs: number): boolean
}

/** A form of body that a provider may send. */
export type BodyForm = 'json' | 'form' | 'mail'

/** Schemas of settings, by name. */
type SettingSchemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What a provider sends, read for Cairn. A connector is pure: values in, values out, never an exception. */
export interface Connector {
  /** Values of a source's `provider` that mean it, the usual one first. */
  readonly providers: readonly string[]
  /** The product's name for people. */
  readonly product: string
  readonly forms: readonly BodyForm[]
  /** The fields that `adapter_config` may have for deliveries and pulls: JSON Schemas by name. */
  readonly settings?: { readonly delivered?: SettingSchemas; readonly read?: SettingSchemas }
  /** Whether a body may be a list of things instead of one. */
  readonly takesLists?: true
  /** The header in which the provider sends a secret as it is, in place of a bearer. */
  readonly secretHeader?: string
  readonly signature?: Signature
  /** The provider's own id of the delivery, equal on every retry. */
  eventId(delivered: Delivered): string | undefined
  /** What the provider wants echoed to believe in the address. */
  challenge?(delivered: Delivered): string | undefined
  /** What is wrong with adapter_config, in words, or undefined. */
  configProblem?(config: Readonly<Record<string, unknown>>): string | undefined
  map(delivered: Delivered): Mapped | Promise<Mapped>
  /** Reads what is new at the provider; it reaches the network by what it is given alone. */
  readonly pull?: Pull
}

/** An event that says nothing a record could hold. */
export function ignored(event: string, why: Ignored = 'no_knowledge'): Mapped {
  return { event, records: [], ignored: why }
}

/** An event with records, or one that is incomplete when what makes them is missing. */
export function mapped(event: string, told: MappingResult): Mapped {
  const records = recordsIn(told)
  if (records.length > 0) return { event, records }
  return ignored(event, typeof told === 'string' ? told : 'incomplete')
}
