import type { Condition, Group, Plan, View } from './plan.ts'

/** A statement over one table whose columns are `r` (the row's index) and `c0`, `c1`, … with the values bound to it. */
export interface Statement {
  text: string
  values: (string | number)[]
}

/** Groups, and rows, that one answer shows. */
export const ROWS_SHOWN_MAX = 100

const FORMATS = { day: '%Y-%m-%d', month: '%Y-%m', year: '%Y' } as const

/** Collects bound values, giving each its place. */
function binder(): { values: (string | number)[]; bind: (value: string | number, type: string) => string } {
  const values: (string | number)[] = []
  return {
    values,
    bind: (value, type) => {
      values.push(value)
      return `CAST($${values.length} AS ${type})`
    },
  }
}

/** The statement that a plan stands for. Names in it are made here; whatever the question says is bound. */
export function toSql(plan: Plan, view: View, table: string): Statement {
  const { values, bind } = binder()
  const where = plan.where.map((condition) => conditionSql(condition, view, bind)).join(' AND ') || 'true'
  const column = (at: number) => `c${at}`
  const limit = `LIMIT ${ROWS_SHOWN_MAX}`
  switch (plan.asks) {
    case 'count':
      return { text: `SELECT CAST(count(*) AS DOUBLE) FROM ${table} WHERE ${where}`, values }
    case 'rows': {
      const made = column(view.columns.findIndex(({ name }) => name === 'occurred_at'))
      const all = 'CAST(count(*) OVER () AS DOUBLE)'
      return { text: `SELECT r, ${all} FROM ${table} WHERE ${where} ORDER BY ${made} DESC, r ${limit}`, values }
    }
    case 'groups': {
      const grouped = groupSql(plan.group, view, table, where, 'count(*)', 'true')
      return {
        text: `SELECT *, CAST(count(*) OVER () AS DOUBLE) FROM (${grouped}) ORDER BY n DESC, g ${limit}`,
        values,
      }
    }
    case 'best': {
      const measure = plan.sum === undefined ? 'count(*)' : `sum(${column(plan.sum)})`
      // Those with none of what is asked for are the ones with the fewest.
      const grouped = plan.isLeast
        ? groupSql(plan.group, view, table, 'true', measure, where)
        : groupSql(plan.group, view, table, where, measure, 'true')
      const pick = plan.isLeast ? 'min' : 'max'
      const text =
        `WITH t AS (${grouped}) SELECT *, CAST(count(*) OVER () AS DOUBLE) FROM t ` +
        `WHERE n = (SELECT ${pick}(n) FROM t) ORDER BY g ${limit}`
      return { text, values }
    }
    case 'extreme': {
      const of = column(plan.column)
      const pick = plan.isLeast ? 'min' : 'max'
      const text =
        `WITH t AS (SELECT r, ${of} AS v FROM ${table} WHERE ${where}) ` +
        `SELECT r, CAST(count(*) OVER () AS DOUBLE) FROM t WHERE v = (SELECT ${pick}(v) FROM t) ORDER BY r ${limit}`
      return { text, values }
    }
    default: {
      const of = column(plan.column)
      const measure = plan.asks === 'sum' ? `coalesce(sum(${of}), 0)` : `avg(${of})`
      return {
        text: `SELECT CAST(${measure} AS DOUBLE), CAST(count(${of}) AS DOUBLE) FROM ${table} WHERE ${where}`,
        values,
      }
    }
  }
}

function groupSql(group: Group, view: View, table: string, where: string, measure: string, filter: string): string {
  const of = `c${group.column}`
  const isList = view.columns[group.column]?.kind === 'list'
  const value = group.span ? `strftime(epoch_ms(${of}), '${FORMATS[group.span]}')` : isList ? `unnest(${of})` : of
  const rows = `SELECT *, CAST(${value} AS VARCHAR) AS g FROM ${table} WHERE ${where}`
  const counted = `coalesce(${measure} FILTER (WHERE ${filter}), 0)`
  return `SELECT g, CAST(${counted} AS DOUBLE) AS n FROM (${rows}) WHERE g IS NOT NULL GROUP BY g`
}

type Bind = (value: string | number, type: string) => string

function conditionSql(condition: Condition, view: View, bind: Bind): string {
  const of = `c${condition.column}`
  const isList = view.columns[condition.column]?.kind === 'list'
  switch (condition.is) {
    case 'in': {
      const values = condition.values.map((value) => bind(value, 'VARCHAR'))
      if (values.length === 0) return 'false'
      return isList ? `list_has_any(${of}, [${values.join(', ')}])` : `${of} IN (${values.join(', ')})`
    }
    case 'true':
    case 'false':
      return `${of} IS ${condition.is}`
    case 'filled':
      return isList ? `len(${of}) > 0` : `${of} IS NOT NULL`
    case 'empty':
      return isList ? `coalesce(len(${of}), 0) = 0` : `${of} IS NULL`
    case 'within': {
      const from = condition.from === null ? 'true' : `${of} >= ${bind(condition.from, 'BIGINT')}`
      const to = condition.to === null ? 'true' : `${of} < ${bind(condition.to, 'BIGINT')}`
      return `(${of} IS NOT NULL AND ${from} AND ${to})`
    }
    default:
      return `${of} ${condition.is} ${bind(condition.value, 'DOUBLE')}`
  }
}
