import { expect, test } from 'vitest'
import { toConfig } from './config.ts'
import { DEFAULT_LIMITS, UNLIMITED } from './limits.ts'

const SERVER = { DATABASE_URL: 'postgres://127.0.0.1/cairn' }

test('embedded engines have no limits, and a server has the limits of the tiers', () => {
  expect(toConfig({}).limits).toEqual(UNLIMITED)
  expect(toConfig(SERVER).limits).toEqual(DEFAULT_LIMITS)
})

test('CAIRN_LIMITS overrides the limits that it names, in both modes', () => {
  const CAIRN_LIMITS = '{"free":{"queries_per_minute":7},"pro":{"max_records":null}}'
  const seven = { queries_per_minute: 7, account_queries_per_minute: 35 }
  expect(toConfig({ CAIRN_LIMITS }).limits.free).toEqual({ ...UNLIMITED.free, ...seven })
  const hosted = toConfig({ CAIRN_LIMITS, ...SERVER }).limits
  expect(hosted.free).toEqual({ ...DEFAULT_LIMITS.free, ...seven })
  expect(hosted.pro).toEqual({ ...DEFAULT_LIMITS.pro, max_records: null })
  expect(UNLIMITED.free.queries_per_minute).toBeNull()
})

test('the per-minute limit of an account follows that of a sandbox, unless it is set', () => {
  const limitsWith = (free: object) => toConfig({ CAIRN_LIMITS: JSON.stringify({ free }), ...SERVER }).limits.free
  expect(limitsWith({ reads_per_minute: null })).toMatchObject({ account_reads_per_minute: null })
  const set = { queries_per_minute: 10, account_queries_per_minute: 12 }
  expect(limitsWith(set)).toEqual({ ...DEFAULT_LIMITS.free, ...set })
})

test.each(['{"gold":{}}', '{"free":{"max_rows":1}}', '{"free":{"max_records":-1}}', '[]', '/no/such/file'])(
  'invalid CAIRN_LIMITS are rejected with an explanation: %s',
  (CAIRN_LIMITS) => {
    expect(() => toConfig({ CAIRN_LIMITS })).toThrow(/^CAIRN_LIMITS.*\.$/)
  },
)
