/** The texts that a query compares with, or why it may not be run. */
export type Checked = { constants: string[] } | { refused: string }

const REFUSED = {
  unparsed: 'it is not one SELECT',
  foreign: 'it reads something other than the rows of this sandbox',
  odd: 'it uses something that is not needed to count, list, group or compare',
  large: 'it is too large',
} as const

/** Tables that one query may join; every further one multiplies what has to be computed. */
const TABLES_MAX = 4
const SELECTS_MAX = 8
const PARTS_MAX = 2_000

/** Kinds of expressions, and of the other parts of a query, by the names that DuckDB's parser gives them. */
const EXPRESSIONS = new Set(
  'BETWEEN CASE CAST COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION OPERATOR STAR SUBQUERY WINDOW'.split(' '),
)
const PARTS = new Set(
  (
    'SELECT_NODE SET_OPERATION_NODE BASE_TABLE SUBQUERY JOIN EMPTY ORDER_MODIFIER LIMIT_MODIFIER DISTINCT_MODIFIER ' +
    'ASCENDING DESCENDING ORDER_DEFAULT'
  ).split(' '),
)
/** Functions of values alone, none of which makes a long text of short ones. */
const FUNCTIONS = new Set(
  (
    '+ - * / // % ~~ !~~ ~~* !~~* abs any_value arg_max arg_min array_length avg bool_and bool_or ceil coalesce ' +
    'contains count count_star date_diff date_part date_trunc datediff datepart datetrunc day dayname dayofweek ' +
    'dense_rank epoch_ms first floor greatest hour ilike_escape isodow lag last lead least len length like_escape ' +
    'list_contains list_distinct list_has_any lower ltrim max max_by mean median min min_by mode month monthname ' +
    'not_ilike_escape not_like_escape nullif prefix quantile_cont quarter rank round row_number rtrim starts_with ' +
    'stddev strftime substr substring suffix sum trim unnest upper week weekday year'
  ).split(' '),
)

type Part = Record<string, unknown>

interface Found {
  constants: Set<string>
  tables: number
  selects: number
  parts: number
}

/**
 * Whether a parsed query is one SELECT over the named views alone, made of nothing but what is listed here. What is not
 * known is refused. Pure.
 */
export function checkSelect(parsed: unknown, views: ReadonlySet<string>): Checked {
  const { error, statements } = parsed as { error: boolean; statements?: Part[] }
  if (error || statements?.length !== 1) return refuse('unparsed')
  const found: Found = { constants: new Set(), tables: 0, selects: 0, parts: 0 }
  const fault = walk(statements[0], views, found)
  if (fault) return refuse(fault)
  return found.tables === 0 ? refuse('foreign') : { constants: [...found.constants] }
}

function refuse(fault: keyof typeof REFUSED): Checked {
  return { refused: `The query that the model wrote was not run: ${REFUSED[fault]}.` }
}

function walk(value: unknown, names: ReadonlySet<string>, found: Found): keyof typeof REFUSED | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  found.parts += 1
  if (found.parts > PARTS_MAX) return 'large'
  const part = value as Part
  const fault = Array.isArray(value) ? undefined : faultOf(part, names, found)
  if (fault) return fault
  // A name that a query gives to a part of itself holds within that part alone.
  const inner = new Set([...names, ...namedParts(part)])
  for (const each of Object.values(part)) {
    const deeper = walk(each, inner, found)
    if (deeper) return deeper
  }
  return undefined
}

function faultOf(part: Part, names: ReadonlySet<string>, found: Found): keyof typeof REFUSED | undefined {
  const { class: expression, type } = part
  if (typeof expression === 'string') {
    if (!EXPRESSIONS.has(expression)) return 'odd'
    if (expression === 'FUNCTION' || expression === 'WINDOW') return isKnownFunction(part) ? undefined : 'odd'
    if (typeof part.alias === 'string' && LINK.test(part.alias)) return 'odd'
    return expression === 'CONSTANT' ? noteConstant(part, found.constants) : undefined
  }
  if (typeof type === 'string' && !PARTS.has(type)) return type === 'TABLE_FUNCTION' ? 'foreign' : 'odd'
  if (type === 'SELECT_NODE') found.selects += 1
  if (found.selects > SELECTS_MAX) return 'large'
  if (type === 'JOIN') return isJoinedByEquals(part) ? undefined : 'large'
  if (type !== 'BASE_TABLE') return undefined
  found.tables += 1
  if (found.tables > TABLES_MAX) return 'large'
  const isPlain = part.schema_name === '' && part.catalog_name === '' && !part.at_clause
  return isPlain && names.has(String(part.table_name).toLowerCase()) ? undefined : 'foreign'
}

/** Every row with every row is more than any question needs. */
function isJoinedByEquals({ condition, using_columns: shared }: Part): boolean {
  const { type, children } = (condition ?? {}) as { type?: string; children?: unknown[] }
  if (type === 'CONJUNCTION_AND') return (children ?? []).some((each) => (each as Part).type === 'COMPARE_EQUAL')
  return type === 'COMPARE_EQUAL' || (Array.isArray(shared) && shared.length > 0)
}

function isKnownFunction({ function_name: name, schema, catalog }: Part): boolean {
  return FUNCTIONS.has(String(name).toLowerCase()) && !schema && !catalog
}

/** A query compares with names and codes; what looks like a link would only be shown. */
const LINK = /:\/\/|\bwww\./

function noteConstant({ value }: Part, constants: Set<string>): 'odd' | undefined {
  const { value: constant } = value as { value?: unknown }
  if (typeof constant !== 'string') return undefined
  constants.add(constant)
  return LINK.test(constant) ? 'odd' : undefined
}

function namedParts({ cte_map: parts }: Part): string[] {
  const { map = [] } = (parts ?? {}) as { map?: { key: string }[] }
  return map.map(({ key }) => key.toLowerCase())
}
