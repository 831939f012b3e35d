/** Parses one element of a model's reply. Returns undefined for a value in another format. */
export type ReadElement<T> = (value: unknown) => T | undefined

/** Parses the elements of a reply while it arrives. */
export interface ElementReader<T> {
  /** Returns the elements that are complete with this part of the reply. */
  push(part: string): T[]
  /** The reply so far. */
  readonly text: string
  /** Returns true if the reply is an empty list, which is valid. */
  isEmptyList(): boolean
}

/** Maximum nesting depth of objects. Deeper objects are not searched. */
const DEPTH_MAX = 64
const EMPTY_LIST = /^[^[]*\[\s*\]/

/**
 * Creates a parser that finds JSON objects of the requested format anywhere in a reply: in the requested object, in a
 * bare array, one per line, in a code fence, or after prose. It takes linear time, except that an enclosing object is
 * parsed again.
 */
export function openElementReader<T>(read: ReadElement<T>): ElementReader<T> {
  let text = ''
  let at = 0
  let isInString = false
  let isEscaped = false
  const opened: number[] = []

  const push = (part: string): T[] => {
    text += part
    const found: T[] = []
    for (; at < text.length; at += 1) {
      const sign = text[at]
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (sign === '\\') isEscaped = true
        else if (sign === '"') isInString = false
      } else if (sign === '{') {
        if (opened.length < DEPTH_MAX) opened.push(at)
      } else if (opened.length > 0 && sign === '"') isInString = true
      else if (sign === '}') {
        const from = opened.pop()
        const element = from === undefined ? undefined : parsed(text.slice(from, at + 1), read)
        if (element !== undefined) found.push(element)
      }
    }
    return found
  }
  return {
    push,
    get text() {
      return text
    },
    isEmptyList: () => EMPTY_LIST.test(text),
  }
}

function parsed<T>(text: string, read: ReadElement<T>): T | undefined {
  try {
    return read(JSON.parse(text))
  } catch {
    return undefined
  }
}
