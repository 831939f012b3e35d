import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { askEngine } from '../../../../tests/harness/fresh-engine.ts'
import { lendEngine, RUN_ON } from '../../../../tests/harness/postgres.ts'
import { readMigrations } from './migrate.ts'

/**
 * Policies that show rows before a tenant is known: the rows that each lookup may read, and the few that it may write.
 */
const GATE_POLICIES = [
  'account_by_connection_key_hash on account: select',
  'account_by_key_hash on account: select',
  'account_by_session_hash on account: select',
  'account_operator on account: select',
  'admin_idempotency_worker on admin_idempotency: select',
  'admin_idempotency_worker_removes on admin_idempotency: delete',
  'answer_worker on answer: select',
  'answer_worker_removes on answer: delete',
  'api_key_by_hash on api_key: select',
  'audit_operator on audit: select',
  'connection_by_grantee on connection: select',
  'connection_by_group_member on connection: select',
  'connection_by_key_hash on connection: select',
  'data_key_worker on data_key: select',
  'delivery_worker on delivery: select',
  'delivery_worker_removes on delivery: delete',
  'erased_worker on erased: all',
  'erasure_worker on erasure: select',
  'evaluation_worker on evaluation: select',
  'evaluation_worker_removes on evaluation: delete',
  'idempotency_worker on idempotency: select',
  'idempotency_worker_removes on idempotency: delete',
  'import_file_worker on import_file: select',
  'import_file_worker_removes on import_file: delete',
  'import_upload_worker on import_upload: select',
  'inbox_worker on inbox: select',
  'invitation_by_code on invitation: select',
  'job_worker on job: select',
  'job_worker_removes on job: delete',
  'master_key_worker on master_key: all',
  'member_by_key_hash on member: select',
  'member_by_session_hash on member: select',
  'member_identity_by_hash on member_identity: select',
  'node_worker on node: all',
  'oauth_flow_by_state on oauth_flow: select',
  'oauth_flow_worker on oauth_flow: select',
  'oauth_grant_by_person on oauth_grant: select',
  'original_worker on original: select',
  'sandbox_by_caller on sandbox: select',
  'sandbox_by_member on sandbox: select',
  'sandbox_head_by_caller on sandbox_head: select',
  'sandbox_head_worker_leases on sandbox_head: update',
  'sandbox_head_worker_reads on sandbox_head: select',
  'sandbox_operator on sandbox: select',
  'sealed_secret_worker on sealed_secret: select',
  'session_by_hash on session: select',
  'session_by_identity on session: select',
  'source_tombstone_worker on source_tombstone: select',
  'source_worker_idle on source: select',
  'source_worker_polls on source: select',
  'storage_id_worker on storage_id: all',
  'team_group_member_by_caller on team_group_member: select',
  'used_state_worker on used_state: all',
  'webhook_worker on webhook: select',
]

/** Privileges of the gate role, before policies. */
const GATE_GRANTS = [
  'account: select',
  'admin_idempotency: delete, select',
  'answer: delete, select',
  'api_key: select',
  'audit: select',
  'connection: select',
  'delivery: delete, select',
  'erased: delete, select',
  'erasure: select',
  'evaluation: delete, select',
  'idempotency: delete, select',
  'import_file: delete, select',
  'import_upload: select',
  'inbox: select',
  'invitation: select',
  'job: delete, select',
  'master_key: insert, select, update',
  'member: select',
  'member_identity: select',
  'node: delete, insert, select, update',
  'original: select',
  'sandbox: select',
  'sandbox_head: select',
  'session: select',
  'source: select',
  'source_tombstone: select',
  'storage_id: insert, select',
  'team_group_member: select',
  'used_state: delete, insert, select',
]

/** Privileges of the role for deliveries: it finds a source by its slug and stores its deliveries. */
const DOOR_POLICIES = [
  'account_by_webhook_slugs on account: select',
  'delivery_door on delivery: all',
  'inbox_door on inbox: insert',
  'rate_door on rate: all',
  'sandbox_by_webhook_slugs on sandbox: select',
  'source_by_webhook_slugs on source: select',
  'source_door on source: select',
  'source_door_notes on source: update',
  'source_secret_by_webhook_slugs on source_secret: select',
  'source_tombstone_by_webhook_slugs on source_tombstone: select',
]
const DOOR_GRANTS = [
  'delivery: insert, select, update',
  'inbox: insert',
  'rate: insert, select, update',
  'sandbox: select',
  'source: select',
  'source_secret: select',
  'source_tombstone: select',
]

/** Tables of the installation, without a tenant. */
const WITHOUT_TENANT = ['admin_idempotency', 'master_key', 'migration', 'node', 'storage_id', 'used_state']

/** The access of a transaction that works for the operator and a tenant. */
const OPERATOR_RULE = {
  table: 'admin_idempotency',
  cmd: 'all',
  qual: "(current_setting('app.operator'::text, true) = 'on'::text)",
  check: null,
}

/**
 * Foreign keys to rows of another tenant. Grants, answers, feedback and evaluations are deleted with their person's
 * account.
 */
const FOREIGN_KEYS_BETWEEN_TENANTS = [
  'answer_asker',
  'answer_feedback_person',
  'connection_grantee',
  'evaluation_asker',
  'member_own_account',
]

const ROLES = ['cairn_app', 'cairn_gate', 'cairn_door']

const TENANT_RULE = "(user_id = NULLIF(current_setting('app.tenant'::text, true), ''::text))"

const TABLES = `select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
    pg_get_userbyid(c.relowner) as owner,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id') as tenant
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by 1`
const POLICIES = `select policyname as name, tablename as table, lower(cmd) as cmd, roles::text[] as roles, qual,
    with_check as check, permissive from pg_policies where schemaname = 'public' order by 1`
const FOREIGN_KEYS = `select conname as name, pg_get_constraintdef(oid) as rule from pg_constraint
  where contype = 'f' and connamespace = 'public'::regnamespace order by 1`
const PRIMARY_KEYS = `select c.relname as table, a.attname as first
  from pg_constraint k join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
  where k.contype = 'p' and k.connamespace = 'public'::regnamespace order by 1`
const GRANTS = `select table_name as table, grantee,
    string_agg(lower(privilege_type), ', ' order by privilege_type) as may
  from information_schema.role_table_grants
  where table_schema = 'public' and grantee in ('cairn_app', 'cairn_gate', 'cairn_door', 'PUBLIC')
  group by 1, 2 order by 1, 2`
const COLUMNS = `select table_name as table, column_name as name, is_nullable = 'YES' as nullable, udt_name as type,
    column_default is not null as defaulted, is_identity = 'YES' as identity
  from information_schema.columns where table_schema = 'public' and exists (
    select from pg_class c where c.oid = table_name::regclass and c.relkind in ('r', 'p') and not c.relispartition
  ) order by 1, ordinal_position`

interface Column {
  table: string
  name: string
  nullable: boolean
  type: string
  defaulted: boolean
  identity: boolean
}

const TYPES: Record<string, RegExp> = {
  text: /^(string|'.*')$/,
  timestamptz: /^Date$/,
  int4: /^number$/,
  int8: /^number$/,
  float8: /^number$/,
  _int8: /^number\[\]$/,
  bool: /^boolean$/,
  jsonb: /^JsonObject$/,
  bytea: /^Buffer$/,
}

/** Columns that a table inherits from `SandboxRow`. */
const SANDBOX_COLUMNS = '  user_id: string\n  sandbox_id: string'

/** The columns that `tables.ts` and its parts declare, by table, as written there. */
function declaredColumns(): Record<string, Record<string, string>> {
  const files = ['tables', 'source-tables', 'sandbox-tables', 'cluster-tables', 'team-tables'].map(
    (file) => `./${file}.ts`,
  )
  const source = files.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n')
  const bodies = Object.fromEntries(
    [...source.matchAll(/(?:export )?interface (\w+)(?: extends ([\w, ]+))? \{\n(.*?)\n\}/gs)].map(
      ([, name, parent, body]) => [name, parent === 'SandboxRow' ? `${SANDBOX_COLUMNS}\n${body}` : (body ?? '')],
    ),
  )
  const fields = (body: string) =>
    Object.fromEntries([...body.matchAll(/^ {2}(\w+): (.+)$/gm)].map(([, name, type]) => [name, type ?? '']))
  return Object.fromEntries(
    Object.entries(fields(`${bodies.Tables}\n${bodies.SandboxTables}\n${bodies.TeamTables}`)).map(([table, type]) => [
      table,
      fields(bodies[String(type)] ?? ''),
    ]),
  )
}

/** Returns the declaration that a column of the catalog requires. */
function expectedShape({ nullable, defaulted, identity, type }: Column): {
  shell: string
  inner: RegExp
  nullable: boolean
} {
  return { shell: identity ? 'GeneratedAlways' : defaulted ? 'Generated' : '', inner: TYPES[type] ?? /^$/, nullable }
}

describe.each(RUN_ON)('the catalogue on %s', (kind) => {
  const engine = lendEngine(kind)

  test('every tenant’s table has row level security enabled and forced, with the same policy', async () => {
    const tables = await askEngine<{ name: string; enabled: boolean; forced: boolean; tenant: boolean }>(
      engine(),
      TABLES,
    )
    const policies = await askEngine<{
      table: string
      roles: string[]
      cmd: string
      qual: string
      check: string | null
    }>(engine(), POLICIES)
    expect(tables.filter(({ tenant }) => !tenant).map(({ name }) => name)).toEqual(WITHOUT_TENANT)
    for (const table of tables.filter(({ name }) => WITHOUT_TENANT.includes(name) && name !== 'migration')) {
      expect(table).toMatchObject({ enabled: true, forced: true })
    }
    const open = policies.filter(({ table, roles }) => WITHOUT_TENANT.includes(table) && roles.includes('cairn_app'))
    expect(open).toMatchObject([OPERATOR_RULE])
    for (const table of tables.filter(({ tenant }) => tenant)) {
      expect(table).toMatchObject({ enabled: true, forced: true })
      const own = policies.filter((policy) => policy.table === table.name && policy.roles.includes('cairn_app'))
      expect(own).toMatchObject([{ roles: ['cairn_app'], cmd: 'all', qual: TENANT_RULE, check: null }])
    }
  })

  test('the policies for look-ups without a tenant are exactly these', async () => {
    const policies = await askEngine<{ name: string; table: string; cmd: string; roles: string[] }>(engine(), POLICIES)
    expect(policies.every(({ roles }) => roles.length === 1)).toBe(true)
    const of = (role: string) =>
      policies.filter(({ roles }) => roles[0] === role).map(({ name, table, cmd }) => `${name} on ${table}: ${cmd}`)
    expect(policies.flatMap(({ roles }) => roles.filter((role) => !ROLES.includes(role)))).toEqual(['cairn_owner'])
    expect(of('cairn_owner')).toEqual(['audit_cut_owner on audit_cut: all'])
    expect(of('cairn_gate')).toEqual(GATE_POLICIES)
    expect(of('cairn_door')).toEqual(DOOR_POLICIES)
    const grants = await askEngine<{ table: string; grantee: string; may: string }>(engine(), GRANTS)
    expect(grants.filter(({ grantee }) => grantee === 'PUBLIC')).toEqual([])
    const granted = (role: string) =>
      grants.filter(({ grantee }) => grantee === role).map(({ table, may }) => `${table}: ${may}`)
    expect(granted('cairn_gate')).toEqual(GATE_GRANTS)
    expect(granted('cairn_door')).toEqual(DOOR_GRANTS)
  })

  test('the roles of transactions own nothing, and audit rows can only be added', async () => {
    const tables = await askEngine<{ name: string; owner: string }>(engine(), TABLES)
    expect(new Set(tables.map(({ owner }) => owner))).toEqual(new Set(['cairn_owner']))
    const grants = await askEngine<{ table: string; grantee: string; may: string }>(engine(), GRANTS)
    const audit = grants.filter(({ table, grantee }) => table === 'audit' && grantee === 'cairn_app')
    expect(audit.map(({ may }) => may)).toEqual(['insert, select'])
  })

  test('every key starts with the tenant', async () => {
    const primary = await askEngine<{ table: string; first: string }>(engine(), PRIMARY_KEYS)
    expect(primary.filter(({ first }) => first !== 'user_id').map(({ table }) => table)).toEqual(WITHOUT_TENANT)
    const foreign = await askEngine<{ name: string; rule: string }>(engine(), FOREIGN_KEYS)
    const without = foreign.filter(({ rule }) => !/^FOREIGN KEY \(user_id\b.*REFERENCES \w+\(user_id\b/.test(rule))
    expect(without.map(({ name }) => name)).toEqual(FOREIGN_KEYS_BETWEEN_TENANTS)
  })

  test('tables.ts matches the database', async () => {
    const columns = (await askEngine<Column>(engine(), COLUMNS)).filter(({ table }) => table !== 'migration')
    const declared = declaredColumns()
    const names = (list: { table: string; name: string }[]) => list.map(({ table, name }) => `${table}.${name}`).sort()
    const declaredList = Object.entries(declared).flatMap(([table, fields]) =>
      Object.keys(fields).map((name) => ({ table, name })),
    )
    expect(names(declaredList)).toEqual(names(columns))
    for (const column of columns) {
      const text = declared[column.table]?.[column.name] ?? ''
      const [, shell = '', inner = ''] = /^(?:(\w+)<(.*)>|.*)$/.exec(text) ?? []
      const isNullable = (shell ? inner : text).endsWith(' | null')
      const plain = (shell ? inner : text).replace(/ \| null$/, '')
      const expected = expectedShape(column)
      expect({ column: `${column.table}.${column.name}`, shell, nullable: isNullable }).toEqual({
        column: `${column.table}.${column.name}`,
        shell: expected.shell,
        nullable: expected.nullable,
      })
      expect(plain).toMatch(expected.inner)
    }
  })
})

test('the policies of a table are in the migration that creates it', () => {
  for (const { name, text } of readMigrations()) {
    for (const [, table] of text.matchAll(/^create (?:unlogged )?table (\w+)/gm)) {
      expect(text, name).toContain(`alter table ${table} enable row level security;`)
      expect(text, name).toContain(`alter table ${table} force row level security;`)
      expect(text, name).toContain(`on ${table} to cairn_${WITHOUT_TENANT.includes(table ?? '') ? 'gate' : 'app'}`)
    }
  }
})
