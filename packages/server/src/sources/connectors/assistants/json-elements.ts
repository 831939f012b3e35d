import {
  type ExportFile,
  type ExportFiles,
  type ExportItem,
  parsedJson,
  type ReadError,
  type ReaderTools,
  wholeFile,
} from '../export-reader.ts'

/** Maximum size of one list element, in bytes. */
const ELEMENT_BYTES_MAX = 64 * 1024 * 1024
/** Maximum size of a file that is not a JSON list, in bytes. Such a file is read into memory. */
const WHOLE_BYTES_MAX = 16 * 1024 * 1024

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const BLANKS = [0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]

/** One element of a list and its position, counted from 1, or the reason why it cannot be read. */
type Element = { line: number } & ({ value: unknown } | ReadError)

/**
 * Streams the elements of a file that contains one JSON list. Files of any size can be read, and a truncated file still
 * yields its complete elements. A file that contains any other value yields that value as its only element.
 */
export async function* jsonElements(file: ExportFile, tools: ReaderTools): AsyncGenerator<Element> {
  const splitter = openSplitter()
  let line = 0
  try {
    for await (const chunk of file.open()) {
      for (const bytes of splitter.add(chunk)) {
        line += 1
        yield { line, ...parsedJson(bytes, tools) }
      }
      if (splitter.state === 'no_list') return yield* wholeValue(file, tools)
      if (splitter.state === 'too_long') return yield { line: line + 1, error: ELEMENT_TOO_LONG }
    }
  } catch {
    return yield { line: line + 1, error: { reason: 'file_damaged', detail: 'The file cannot be unpacked.' } }
  }
  if (splitter.state !== 'ended') yield { line: line + 1, error: cutAfter(line) }
}

/** Yields the items of each list element in the files whose names match, and an error for an unreadable element. */
export async function* elementItems(
  files: ExportFiles,
  tools: ReaderTools,
  form: RegExp,
  itemsOf: (value: unknown, line: number) => Iterable<ExportItem>,
): AsyncGenerator<ExportItem> {
  for await (const file of files.files((name) => form.test(name))) {
    for await (const element of jsonElements(file, tools)) {
      const items = 'error' in element ? [element] : itemsOf(element.value, element.line)
      for (const item of items) yield { ...item, file: file.name }
    }
  }
}

async function* wholeValue(file: ExportFile, tools: ReaderTools): AsyncGenerator<Element> {
  const whole = await wholeFile(file, WHOLE_BYTES_MAX)
  yield { line: 1, ...('error' in whole ? whole : parsedJson(whole.bytes, tools)) }
}

const ELEMENT_TOO_LONG = {
  reason: 'file_too_large',
  detail: `An entry is larger than ${ELEMENT_BYTES_MAX / 1024 / 1024} MiB. The rest of the list is not read.`,
}

function cutAfter(count: number): { reason: string; detail: string } {
  const summary = count === 0 ? 'It contains no complete entry.' : `The ${count} entries before the cut are read.`
  return { reason: 'file_damaged', detail: `The file ends in the middle of its list. ${summary} Export it again.` }
}

/** Splits a JSON list at the commas between its elements, without parsing or validating them. */
function openSplitter() {
  let state: 'before' | 'within' | 'ended' | 'no_list' | 'too_long' = 'before'
  let depth = 0
  let isText = false
  let isEscaped = false
  let parts: Uint8Array[] = []
  let bytes = 0
  const take = (part: Uint8Array) => {
    bytes += part.length
    if (bytes > ELEMENT_BYTES_MAX) state = 'too_long'
    else if (part.length > 0) parts.push(part)
  }
  const element = (): Uint8Array[] => {
    const whole = Buffer.concat(parts)
    parts = []
    bytes = 0
    return whole.some((byte) => !BLANKS.includes(byte)) ? [whole] : []
  }
  const add = function* (chunk: Uint8Array): Generator<Uint8Array> {
    let start = 0
    for (let at = 0; at < chunk.length && (state === 'before' || state === 'within'); at++) {
      const byte = chunk[at]!
      if (state === 'before') {
        if (byte === OPEN_LIST) state = 'within'
        else if (!BLANKS.includes(byte)) state = 'no_list'
        start = at + 1
      } else if (isText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isText = false
      } else if (byte === QUOTE) isText = true
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
      else if ((byte === CLOSE_LIST || byte === CLOSE_OBJECT) && depth > 0) depth--
      else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST)) {
        take(chunk.subarray(start, at))
        start = at + 1
        if (byte === CLOSE_LIST) state = 'ended'
        yield* element()
      }
    }
    if (state === 'within') take(chunk.subarray(start))
  }
  return {
    add,
    get state() {
      return state
    },
  }
}
