import { describe, expect, test } from 'vitest'
import { askEngine } from '../../../../tests/harness/fresh-engine.ts'
import { lendEngine, RUN_ON } from '../../../../tests/harness/postgres.ts'

/** The installation's own tables, which stay on one node. */
const LOCAL = ['admin_idempotency', 'master_key', 'migration', 'node', 'storage_id', 'used_state']
/**
 * Tables that every node would replicate, since other tenants' rows refer to them. The others are distributed by
 * `user_id`.
 */
const REFERENCE = ['account']

const UNIQUE_INDEXES = `select i.relname as name, c.relname as table, array(
      select a.attname::text from unnest(x.indkey::int2[]) with ordinality as k(number, place)
        left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
      where k.place <= x.indnkeyatts) as columns
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
  where (x.indisunique or x.indisexclusion) and c.relnamespace = 'public'::regnamespace order by 1`
const FOREIGN_KEYS = `select k.conname as name, k.conrelid::regclass::text as table,
    k.confrelid::regclass::text as target, k.confdeltype as removal,
    (select array_agg(a.attname::text order by n.place) from unnest(k.conkey) with ordinality n(number, place)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n.number) as columns,
    (select array_agg(a.attname::text order by n.place) from unnest(k.confkey) with ordinality n(number, place)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = n.number) as targets
  from pg_constraint k where k.contype = 'f' and k.connamespace = 'public'::regnamespace order by 1`
const TENANTS = `select c.relname as table, a.attnotnull as required from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'user_id'
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`

interface ForeignKey {
  name: string
  table: string
  target: string
  /** Actions when a referenced row is deleted: n and d set columns. */
  removal: string
  columns: string[]
  targets: string[]
}

const isDistributed = (table: string) => !LOCAL.includes(table) && !REFERENCE.includes(table)

/** Returns why Citus would reject the foreign key. Undefined if it would not. */
function refusal({ table, target, removal, columns, targets }: ForeignKey): string | undefined {
  if ([table, target].some((each) => LOCAL.includes(each))) return 'a table that stays on one node'
  if (REFERENCE.includes(target)) return undefined
  if (REFERENCE.includes(table)) return 'from a table that every node has to one that is distributed'
  if (columns.indexOf('user_id') !== targets.indexOf('user_id') || !columns.includes('user_id'))
    return 'not from a tenant to itself'
  return ['n', 'd'].includes(removal) ? 'would set the column that rows are distributed by' : undefined
}

describe.each(RUN_ON)('distributed by tenant, as Citus does it, the schema on %s', (kind) => {
  const engine = lendEngine(kind)

  test('has the tenant in every row and in every unique key', async () => {
    const tenants = await askEngine<{ table: string; required: boolean }>(engine(), TENANTS)
    const distributed = tenants.filter(({ table }) => isDistributed(table))
    expect(distributed.length).toBeGreaterThan(REFERENCE.length)
    expect(distributed.filter(({ required }) => !required)).toEqual([])
    const indexes = await askEngine<{ name: string; table: string; columns: string[] }>(engine(), UNIQUE_INDEXES)
    const over = indexes.filter(({ table, columns }) => isDistributed(table) && columns[0] !== 'user_id')
    expect(over).toEqual([])
  })

  test('has foreign keys only within a tenant, and to tables that every node has', async () => {
    const keys = await askEngine<ForeignKey>(engine(), FOREIGN_KEYS)
    expect(keys.map((key) => ({ ...key, refusal: refusal(key) })).filter((key) => key.refusal)).toEqual([])
    // Foreign keys to another tenant's row refer to its account.
    const between = keys.filter(({ columns }) => columns[0] !== 'user_id')
    expect(between.map(({ name, target }) => `${name} to ${target}`)).toEqual([
      'answer_asker to account',
      'answer_feedback_person to account',
      'connection_grantee to account',
      'evaluation_asker to account',
      'member_own_account to account',
    ])
  })
})
