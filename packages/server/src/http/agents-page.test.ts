import { operations, systemOperations } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { openLog } from '../base/log.ts'
import type { HttpApp } from './context.ts'
import { openHttp } from './server.ts'

const PUBLIC_URL = 'https://cairn.example'

it('lists addresses of this service for agents, all of which exist', async () => {
  const http = await openHttp({
    operations: {},
    handlers: {},
    app: { publicUrl: PUBLIC_URL, clock: systemClock, log: openLog('silent', systemClock, () => {}) } as HttpApp,
    authenticate: async () => undefined,
    accessOf: async () => undefined,
    isReady: async () => true,
    version: '0.0.0',
  })
  const { statusCode, headers, payload } = await http.inject({ method: 'GET', url: '/llms.txt' })
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toMatch(/^text\/plain/)
  expect(payload).toMatch(/^# Cairn\n\n> /)

  const paths = new Set(
    Object.values({ ...operations, ...systemOperations }).map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}')),
  )
  const named = [...payload.matchAll(/https?:\/\/[^\s)`]+/g)].map(([address]) => new URL(address))
  expect(new Set(named.map(({ origin }) => origin))).toEqual(new Set([PUBLIC_URL]))
  const missing = named.map(({ pathname }) => decodeURI(pathname)).filter((path) => !paths.has(path))
  expect(missing).toEqual(['/guide/', '/console'])
})
