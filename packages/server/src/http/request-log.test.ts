import { operation, Type as T } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { Fault } from '../base/fault.ts'
import { newId } from '../base/id.ts'
import { type LogLevel, openLog } from '../base/log.ts'
import type { HttpApp } from './context.ts'
import { openHttp } from './server.ts'

const shared = { tag: 'Things', summary: 'A thing', audit: { none: 'reads' }, retry: 'safe', faults: [] } as const
const operations = {
  show: operation({
    ...shared,
    method: 'GET',
    path: '/api/v1/things/:name',
    params: T.Object({ name: T.String() }),
    query: T.Object({ how: T.Optional(T.String()) }),
    access: 'account',
    reply: { json: T.Object({}) },
    status: 200,
  }),
}

/** Opens a service with one operation and a log at this level. Requests named `broken` fail. */
async function openLogged(level: LogLevel) {
  const lines: string[] = []
  const http = await openHttp({
    operations,
    handlers: {
      show: async (_, { params: { name } }) => {
        if (name === 'full') throw new Fault('unavailable')
        if (name === 'broken') throw new Error('of the words of a secret')
        return {}
      },
    },
    app: { clock: systemClock, log: openLog(level, systemClock, (line) => void lines.push(line)) } as HttpApp,
    authenticate: async (token) =>
      token === 'good'
        ? { accountId: 'acct_1', credential: { kind: 'api_key', id: newId('key', systemClock) } }
        : undefined,
    accessOf: async () => undefined,
    isReady: async () => false,
    version: '0.0.0',
  })
  const ask = async (url: string, token = 'good') => {
    lines.length = 0
    await http.inject({ method: 'GET', url, headers: { authorization: `Bearer ${token}`, 'x-request-id': 'r1' } })
    return lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request')
  }
  return { ask, lines }
}

it('each request, also a rejected one, is logged in one line without path, query or credential', async () => {
  const { ask, lines } = await openLogged('info')
  const route = '/api/v1/things/:name'
  const common = {
    level: 'info',
    method: 'GET',
    requestId: 'r1',
    durationMs: expect.any(Number),
    time: expect.any(String),
  }
  const line = { ...common, event: 'request', route, accountId: 'acct_1' }
  expect(await ask('/api/v1/things/zqname?how=zqhow')).toEqual([{ ...line, status: 200 }])
  expect(lines.join()).not.toMatch(/zqname|zqhow|good/)
  const { accountId: _, ...unknown } = line
  expect(await ask('/api/v1/things/x', 'zqtoken')).toEqual([{ ...unknown, status: 401, fault: 'unauthorized' }])
  expect(lines.join()).not.toContain('zqtoken')
  const { route: __, ...nowhere } = unknown
  expect(await ask('/zqnowhere')).toEqual([{ ...nowhere, status: 404, fault: 'not_found' }])
  expect(lines.join()).not.toContain('zqnowhere')
})

it('server errors are warnings', async () => {
  const { ask, lines } = await openLogged('warn')
  expect(await ask('/api/v1/things/x')).toEqual([])
  expect(await ask('/api/v1/things/x', 'other')).toEqual([])
  expect(await ask('/api/v1/things/full')).toMatchObject([{ level: 'warn', status: 503, fault: 'unavailable' }])
  expect(await ask('/api/v1/things/broken')).toMatchObject([{ level: 'warn', status: 500, fault: 'internal_error' }])
  expect(lines.join()).not.toContain('secret')
})

it('health checks are logged only if they fail', async () => {
  const { ask } = await openLogged('info')
  expect(await ask('/healthz')).toEqual([])
  expect(await ask('/metrics', 'other')).toMatchObject([{ status: 401 }])
  expect(await ask('/readyz')).toMatchObject([{ level: 'warn', status: 503 }])
})
