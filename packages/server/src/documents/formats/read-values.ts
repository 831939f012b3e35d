import { parseAllDocuments } from 'yaml'
import { decodeText } from '../decode-text.ts'
import { type DocumentFile, type DocumentItem, partsOf, Refusal, type Unit } from '../document.ts'
import { NESTING_MAX, parseExactly, TooDeep } from '../exact-json.ts'
import { yamlNestsDeeper } from '../nesting.ts'

/**
 * Options of the YAML parser. Warnings are off, because each takes time and would be logged. Duplicate keys are not
 * rejected, because this check takes quadratic time; the last one is used, as in JSON.
 */
const YAML = { schema: 'core', logLevel: 'error', prettyErrors: false, uniqueKeys: false } as const
/** Maximum number of times that aliases are expanded. */
const ALIASES_MAX = 100
const DEPTH_MAX = 64

/** Reads JSON. Each object of a list becomes an item. Any other value becomes lines with paths and values. */
export function readJson({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  return valuesOf('json', [parseBoundedJson(decodeText(bytes))])
}

/** Parses JSON. Throws `took_too_much` if it is nested too deeply for recursive code. */
export function parseBoundedJson(text: string): unknown {
  try {
    return parseExactly(text)
  } catch (cause) {
    throw cause instanceof TooDeep ? new Refusal('took_too_much', cause.message) : cause
  }
}

/** Reads JSON Lines, one value per line. */
export async function* readJsonLines({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const lines = decodeText(bytes)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const values = lines.map((line) => {
    try {
      return parseBoundedJson(line)
    } catch (cause) {
      if (cause instanceof Refusal) throw cause
      throw new Refusal('file_damaged', 'A line of the file is not valid JSON.')
    }
  })
  yield* valuesOf('ndjson', [values])
}

/** Reads YAML in the same way as JSON. Invalid or too deeply nested YAML is read as text. */
export async function* readYaml({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const text = decodeText(bytes)
  const values = yamlNestsDeeper(text, NESTING_MAX) ? undefined : yamlValues(text)
  if (values) return yield* valuesOf('yaml', values)
  yield { kind: 'head', format: 'yaml', within: [] }
  yield* partsOf([{ text: `\`\`\`yaml\n${text}\n\`\`\`` }])
}

function yamlValues(text: string): unknown[] | undefined {
  try {
    const documents = parseAllDocuments(text, YAML)
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return undefined
    const values = documents.map((each) => each.toJS({ maxAliasCount: ALIASES_MAX }) as unknown)
    return values.every((value) => typeof value === 'object' && value !== null) ? values : undefined
  } catch {
    return undefined
  }
}

async function* valuesOf(format: string, documents: readonly unknown[]): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format, within: [] }
  const listed = documents.length === 1 ? findList(documents[0]) : findList(documents)
  if (listed) {
    for (const value of listed) yield { kind: 'value', value }
    return
  }
  yield* partsOf(leavesOf(documents.length === 1 ? documents[0] : documents), '\n')
}

/** Returns the list of objects that is the value, or the only list in the value. */
export function findList(value: unknown): object[] | undefined {
  if (isObjectList(value)) return value
  if (typeof value !== 'object' || value === null) return undefined
  const lists = Object.values(value).filter((each) => Array.isArray(each) && each.length > 0)
  const [list] = lists
  return lists.length === 1 && isObjectList(list) && Object.keys(value).length <= LIST_SIBLINGS_MAX ? list : undefined
}

/** Maximum number of other fields in an object whose list is read. Exports have few; settings files have many. */
const LIST_SIBLINGS_MAX = 4

function isObjectList(value: unknown): value is object[] {
  const isObject = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each)
  return Array.isArray(value) && value.length > 0 && value.every(isObject)
}

/** Yields every value with its path, one per line. */
function* leavesOf(value: unknown): Generator<Unit> {
  const stack: { value: unknown; path: string; depth: number }[] = [{ value, path: '', depth: 0 }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value: each, path, depth } = next
    if (each === null || each === undefined) continue
    if (typeof each !== 'object' || depth > DEPTH_MAX) {
      yield { text: path ? `${path}: ${String(each)}` : String(each) }
      continue
    }
    const inner = Object.entries(each).map(([key, child]) => ({
      value: child as unknown,
      path: path ? `${path}.${key}` : key,
      depth: depth + 1,
    }))
    stack.push(...inner.reverse())
  }
}
