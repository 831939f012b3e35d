/** A name as it is written, and its key: equal keys are one thing unless something contradicts. */
export interface Name {
  text: string
  key: string
}

/** One thing that a record declares, itself, its author, a participant …, or that its text mentions. */
export interface Thing {
  type: string
  /** Every name that the record gives it, its display name first. */
  names: Name[]
  /** Identifiers as keys (`email:…`, `login:github@github.com:…`): equal keys are the same thing. */
  identifiers: string[]
  role: 'own' | 'author' | 'participant' | 'entity' | 'relation' | 'mention'
  /** Identifiers and properties as the record writes them. */
  given: { identifiers: Record<string, string | string[]>; properties: Record<string, unknown> }
}
