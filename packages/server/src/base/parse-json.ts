/** Parses JSON. Returns undefined if it is invalid. Never throws, because errors of JSON.parse quote the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
