declare const brand: unique symbol

/** A question's own words, which nothing but `questionText` reads. */
export interface Wording {
  readonly [brand]: true
}

const texts = new WeakMap<Wording, string>()

/** Keeps the text of a question from all that has no business with it. */
export function wordingOf(text: string): Wording {
  const wording = Object.freeze({}) as Wording
  texts.set(wording, text)
  return wording
}

/**
 * The text of a question, for whoever hands it to a model or to the grammar of rows. What else is to be known of a
 * question is a field of what `understand` returns.
 */
export function questionText(wording: Wording): string {
  return texts.get(wording)!
}
