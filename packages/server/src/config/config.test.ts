import { expect, test } from 'vitest'
import { toConfig } from './config.ts'
import { deprecatedSettings, namesOfSettings, readEnv } from './env.ts'

const shared = { DATABASE_URL: 'postgres://service@db/cairn' }

test('a node needs an address without a path and a shared database', () => {
  expect(toConfig(shared).nodeUrl).toBeNull()
  expect(toConfig({ ...shared, CAIRN_NODE_URL: 'http://10.0.0.3:8484/' }).nodeUrl).toBe('http://10.0.0.3:8484')
  expect(toConfig({ ...shared, CAIRN_NODE_URL: 'https://node-3.internal' }).nodeUrl).toBe('https://node-3.internal')
  for (const url of ['10.0.0.3:8484', 'ftp://10.0.0.3', 'http://10.0.0.3/path', 'http://a:b@10.0.0.3', 'http://x?y']) {
    expect(() => toConfig({ ...shared, CAIRN_NODE_URL: url }), url).toThrow(/CAIRN_NODE_URL/)
  }
  expect(() => toConfig({ CAIRN_NODE_URL: 'http://10.0.0.3:8484' })).toThrow(/DATABASE_URL/)
})

test('concurrency and drain time must be whole numbers within limits', () => {
  expect(toConfig(shared)).toMatchObject({ databaseConnections: 20, commitsAtOnce: 8, drainMs: null })
  const set = { CAIRN_DATABASE_CONNECTIONS: '40', CAIRN_COMMITS_AT_ONCE: '16', CAIRN_DRAIN_SECONDS: '0' }
  expect(toConfig({ ...shared, ...set })).toMatchObject({ databaseConnections: 40, commitsAtOnce: 16, drainMs: 0 })
  for (const [name, values] of Object.entries({
    CAIRN_DATABASE_CONNECTIONS: ['1', '1000', 'x'],
    CAIRN_COMMITS_AT_ONCE: ['0', '100', '-1'],
    CAIRN_DRAIN_SECONDS: ['1000', '1.5'],
  })) {
    for (const value of values) expect(() => toConfig({ [name]: value }), `${name} ${value}`).toThrow(name)
  }
})

test('lease time and compaction thresholds must be within limits, which the error names', () => {
  expect(toConfig({})).toMatchObject({ leaseSeconds: 15, compaction: { commits: 100, restMs: 5_000 } })
  const set = { CAIRN_LEASE_SECONDS: '5', CAIRN_COMPACTION_COMMITS: '1000', CAIRN_COMPACTION_IDLE_SECONDS: '3600' }
  expect(toConfig(set)).toMatchObject({ leaseSeconds: 5, compaction: { commits: 1_000, restMs: 3_600_000 } })
  expect(toConfig({}).auditRetentionMonths).toBeNull()
  expect(toConfig({ CAIRN_AUDIT_RETENTION_MONTHS: '3' }).auditRetentionMonths).toBe(3)
  for (const [name, values] of Object.entries({
    CAIRN_LEASE_SECONDS: ['4', '301', '', '15s', '1e2', '-5', '0x10', '9'.repeat(400)],
    CAIRN_COMPACTION_COMMITS: ['9', '1001', 'often'],
    CAIRN_AUDIT_RETENTION_MONTHS: ['2', '1201', 'all'],
    CAIRN_COMPACTION_IDLE_SECONDS: ['0', '3601', '1.5'],
  })) {
    for (const value of values) {
      expect(() => toConfig({ [name]: value }), `${name} ${value}`).toThrow(
        /^\w+ must be a whole number from \d+ to \d+/,
      )
    }
  }
})

test('the disk cache is in the data folder, has a maximum size, and can be disabled', () => {
  expect(toConfig({ CAIRN_DATA: '/data' }).cache).toMatchObject({ folder: '/data/cache', bytesMax: 2 ** 30 })
  expect(toConfig({ CAIRN_CACHE_MIB: '64' }).cache?.bytesMax).toBe(64 * 2 ** 20)
  expect(toConfig({ CAIRN_CACHE_MIB: '0' }).cache).toBeNull()
  for (const value of ['63', '-1', '1.5', 'x']) {
    expect(() => toConfig({ CAIRN_CACHE_MIB: value }), value).toThrow('CAIRN_CACHE_MIB')
  }
})

test('the record and store caches have the configured size', () => {
  const mib = 2 ** 20
  expect(toConfig({})).toMatchObject({ recordCacheBytes: 192 * mib, storeCacheBytes: 96 * mib })
  const set = { CAIRN_RECORD_CACHE_MIB: '0', CAIRN_STORE_CACHE_MIB: '512' }
  expect(toConfig(set)).toMatchObject({ recordCacheBytes: 0, storeCacheBytes: 512 * mib })
  for (const name of Object.keys(set)) expect(() => toConfig({ [name]: '1.5' }), name).toThrow(name)
})

test('a process has the role all, api or worker, and a worker needs an address for the others', () => {
  const node = { ...shared, CAIRN_NODE_URL: 'http://10.0.0.3:8484' }
  expect(toConfig({}).role).toBe('all')
  expect(toConfig({ ...shared, CAIRN_ROLE: 'api' }).role).toBe('api')
  expect(toConfig({ ...node, CAIRN_ROLE: 'worker' }).role).toBe('worker')
  expect(() => toConfig({ ...node, CAIRN_ROLE: 'both' })).toThrow(/all, api, worker/)
  expect(() => toConfig({ CAIRN_ROLE: 'api' })).toThrow(/DATABASE_URL/)
  expect(() => toConfig({ ...shared, CAIRN_ROLE: 'worker' })).toThrow(/CAIRN_NODE_URL/)
})

test('collector headers must be name=value, and the error shows the format but no value', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
  for (const value of ['x-api-key=s3cret', 'a=b=c, authorization=Bearer%20s3cret', 'x-list=a%2Cb%3Bc%25']) {
    expect(toConfig({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: value }).telemetry).not.toBeNull()
  }
  for (const value of [
    's3cret',
    'x-api-key:s3cret',
    'authorization=Bearer s3cret;v=1',
    'x-api-key=s3cret,',
    'x-api-key=',
    '=s3cret',
    'x api key=s3cret',
    'x-api-key=s3cret%',
    'x-api-key=s3cret%0D%0Ax-other: 1',
    'x-api-key=s3cr€t',
  ]) {
    for (const name of ['', 'TRACES_', 'METRICS_'].map((which) => `OTEL_EXPORTER_OTLP_${which}HEADERS`)) {
      const starting = () => toConfig({ ...endpoint, [name]: value })
      expect(starting, value).toThrow(new RegExp(`^${name} must be name=value(?!.*s3cr)`))
    }
  }
  expect(toConfig({ OTEL_EXPORTER_OTLP_HEADERS: 'read by nobody' }).telemetry).toBeNull()
})

test('a collector needs a URL, and the error names the wrong setting', () => {
  for (const name of ['', 'TRACES_', 'METRICS_'].map((which) => `OTEL_EXPORTER_OTLP_${which}ENDPOINT`)) {
    for (const value of ['127.0.0.1:4318', 'collector', 'grpc://127.0.0.1:4317', 'http://']) {
      expect(() => toConfig({ [name]: value }), value).toThrow(`${name} must be a URL`)
    }
  }
})

test('a setting still works under its earlier name, which a start calls deprecated', () => {
  const from = { CAIRN_READER: 'off', CAIRN_JOBS_KEPT_DAYS: '7', CAIRN_JOB_RETENTION_DAYS: '8', CAIRN_UNKNOWN: 'x' }
  expect(readEnv(from)).toEqual({ CAIRN_ENCODER: 'off', CAIRN_JOB_RETENTION_DAYS: '8' })
  expect(deprecatedSettings(from)).toEqual([
    'CAIRN_READER is deprecated. Set CAIRN_ENCODER instead.',
    'CAIRN_JOBS_KEPT_DAYS is deprecated. Set CAIRN_JOB_RETENTION_DAYS instead.',
  ])
  expect(deprecatedSettings({})).toEqual([])
  expect(namesOfSettings(from)).toEqual(['CAIRN_JOB_RETENTION_DAYS', 'CAIRN_UNKNOWN'])
})
