/** String constants of a query and the views that it reads, or the reason why it was rejected. */
export type Checked = { constants: string[]; reads: string[] } | { refused: string }

const REFUSED = {
  unparsed: 'it is not one SELECT',
  foreign: 'it reads data other than the rows of this sandbox',
  odd: 'it uses functions that are not allowed',
  large: 'it is too large',
} as const

/** Maximum number of tables in one query, because each join multiplies the work. */
const TABLES_MAX = 4
const SELECTS_MAX = 8
const PARTS_MAX = 2_000

/** Allowed kinds of expressions and of other query parts, by their names in DuckDB's parser. */
const EXPRESSIONS = new Set(
  'BETWEEN CASE CAST COLUMN_REF COMPARISON CONJUNCTION CONSTANT FUNCTION OPERATOR STAR SUBQUERY WINDOW'.split(' '),
)
const PARTS = new Set(
  (
    'SELECT_NODE SET_OPERATION_NODE BASE_TABLE SUBQUERY JOIN EMPTY ORDER_MODIFIER LIMIT_MODIFIER DISTINCT_MODIFIER ' +
    'ASCENDING DESCENDING ORDER_DEFAULT'
  ).split(' '),
)
/** Allowed functions. Their result depends only on their arguments, and none can build a long text from short ones. */
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

/** Matches names of DuckDB's internal tables, which can be read without a schema name. No name in a query may match. */
const OWN_TABLE = /^(?:duckdb|pg|pragma|sqlite)_/

type SyntaxPart = Record<string, unknown>
/** Names visible in a part of a query: a view, or undefined for a common table expression. */
type Names = ReadonlyMap<string, string | undefined>

interface FoundParts {
  constants: Set<string>
  reads: Set<string>
  tables: number
  selects: number
  parts: number
}

/**
 * Checks that a parsed query is a single SELECT that reads only the named views and uses only the allowed parts.
 * Anything unknown is rejected. If DuckDB treats the names of two views as equal, the first one is read. The function
 * is pure.
 */
export function checkSelect(parsed: unknown, views: ReadonlySet<string>): Checked {
  const { error, statements } = parsed as { error: boolean; statements?: SyntaxPart[] }
  if (error || statements?.length !== 1) return refuse('unparsed')
  const found: FoundParts = { constants: new Set(), reads: new Set(), tables: 0, selects: 0, parts: 0 }
  const names = new Map([...views].reverse().map((view) => [folded(view), view]))
  const fault = walk(statements[0], names, found)
  if (fault) return refuse(fault)
  return found.tables === 0 ? refuse('foreign') : { constants: [...found.constants], reads: [...found.reads] }
}

/** Folds a name in the way DuckDB compares names: only ASCII letters are case-insensitive. */
function folded(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function refuse(fault: keyof typeof REFUSED): Checked {
  return { refused: `The query that the model wrote was not run: ${REFUSED[fault]}.` }
}

function walk(value: unknown, names: Names, found: FoundParts): keyof typeof REFUSED | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  found.parts += 1
  if (found.parts > PARTS_MAX) return 'large'
  const part = value as SyntaxPart
  const fault = Array.isArray(value) ? undefined : faultOf(part, names, found)
  if (fault) return fault
  const { cte_map: named, ...rest } = part
  const inner = new Map(names)
  // A common table expression is visible only to the parts after it.
  for (const { key, value: body } of namedParts(named)) {
    const name = folded(key)
    if (OWN_TABLE.test(name)) return 'foreign'
    const deeper = walk(body, inner, found)
    if (deeper) return deeper
    inner.set(name, undefined)
  }
  for (const each of Object.values(rest)) {
    const deeper = walk(each, inner, found)
    if (deeper) return deeper
  }
  return undefined
}

function faultOf(part: SyntaxPart, names: Names, found: FoundParts): keyof typeof REFUSED | undefined {
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
  const name = folded(String(part.table_name))
  if (!isPlain || !names.has(name)) return 'foreign'
  const view = names.get(name)
  if (view !== undefined) found.reads.add(view)
  return undefined
}

/** Returns true if a join has an equality condition. Without one, it would be more work than a question needs. */
function isJoinedByEquals({ condition, using_columns: shared }: SyntaxPart): boolean {
  const { type, children } = (condition ?? {}) as { type?: string; children?: unknown[] }
  if (type === 'CONJUNCTION_AND') return (children ?? []).some((each) => (each as SyntaxPart).type === 'COMPARE_EQUAL')
  return type === 'COMPARE_EQUAL' || (Array.isArray(shared) && shared.length > 0)
}

function isKnownFunction({ function_name: name, schema, catalog }: SyntaxPart): boolean {
  return FUNCTIONS.has(String(name).toLowerCase()) && !schema && !catalog
}

/** Matches links. Queries compare names and codes, so a link could serve only to be displayed. */
const LINK = /:\/\/|\bwww\./

function noteConstant({ value }: SyntaxPart, constants: Set<string>): 'odd' | undefined {
  const { value: constant } = value as { value?: unknown }
  if (typeof constant !== 'string') return undefined
  constants.add(constant)
  return LINK.test(constant) ? 'odd' : undefined
}

function namedParts(named: unknown): { key: string; value: unknown }[] {
  return ((named ?? {}) as { map?: { key: string; value: unknown }[] }).map ?? []
}
