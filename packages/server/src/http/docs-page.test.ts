import fastify from 'fastify'
import { expect, it } from 'vitest'
import { serveDocsParts } from './docs-page.ts'

it('reads the script again after a failed read', async () => {
  const server = fastify()
  const reads = [() => Promise.reject(new Error('too many open files')), async () => Buffer.from('script')]
  serveDocsParts(server, () => reads.shift()!())
  const get = () => server.inject('/docs/reference.js')
  expect((await get()).statusCode).toBe(500)
  expect((await get()).payload).toBe('script')
  expect((await get()).payload).toBe('script')
})
