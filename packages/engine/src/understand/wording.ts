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

/** Returns a question's text, only for language models and the query parser. Others use `understand`. */
export function questionText(wording: Wording): string {
  return texts.get(wording)!
}
