declare const brand: unique symbol

/** Opaque reference to the text of a question. Only `questionText` can read it. */
export interface Wording {
  readonly [brand]: true
}

const texts = new WeakMap<Wording, string>()

/** Wraps the text of a question, so that other modules cannot parse it. */
export function wordingOf(text: string): Wording {
  const wording = Object.freeze({}) as Wording
  texts.set(wording, text)
  return wording
}

/**
 * Returns the text of a question, for language models and the query parser only. Everything else must be a field of the
 * result of `understand`.
 */
export function questionText(wording: Wording): string {
  return texts.get(wording)!
}
