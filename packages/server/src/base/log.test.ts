import { expect, test } from 'vitest'
import { bufferLines, openLog } from './log.ts'

const clock = { now: () => new Date(0) }

test('a line is one line of JSON with the allowed fields only', () => {
  const lines: string[] = []
  const log = openLog('info', clock, (line) => lines.push(line))
  log.info('ingested', { requestId: 'a\nb\u001b[31m', count: 2, ...{ token: 'secret', body: 'secret' } })
  expect(lines).toHaveLength(1)
  expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1)
  expect(JSON.parse(lines[0]!)).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    event: 'ingested',
    requestId: 'a\nb\u001b[31m',
    count: 2,
  })
})

test('a failure is logged with its type and stack, without its message', () => {
  const lines: string[] = []
  const error = new TypeError('value hunter2 is bad', { cause: new Error('also hunter2') })
  openLog('error', clock, (line) => lines.push(line)).error('failed', { error })
  expect(lines[0]).not.toContain('hunter2')
  expect(JSON.parse(lines[0]!).error).toMatchObject({ kind: 'TypeError', cause: { kind: 'Error' } })
})

test('lines below the level are not written', () => {
  const lines: string[] = []
  const log = openLog('warn', clock, (line) => lines.push(line))
  log.debug('a')
  log.info('b')
  log.warn('c')
  expect(lines).toHaveLength(1)
})

test('lines are written in batches and in order, and at once when one is urgent or the process exits', async () => {
  const written: string[] = []
  const { write, flush, release } = bufferLines((text) => written.push(text))
  const log = openLog('debug', clock, write)
  release()
  for (const event of ['a', 'b']) log.info(event)
  expect(written).toEqual([])
  log.error('c')
  const eventsOf = (text = '') => [...text.matchAll(/"event":"(\w)"/g)].map(([, event]) => event)
  expect(written.map(eventsOf)).toEqual([['a', 'b', 'c']])
  log.info('d')
  flush()
  log.info('e')
  await expect.poll(() => written.map(eventsOf)).toEqual([['a', 'b', 'c'], ['d'], ['e']])
  flush()
  expect(written).toHaveLength(3)
})

test('startup lines are buffered until startup is complete, unless one is a warning or error', () => {
  const written: string[] = []
  const { write, release } = bufferLines((text) => written.push(text))
  const log = openLog('debug', clock, write)
  log.info('a')
  log.warn('b')
  log.info('c')
  expect(written).toHaveLength(1)
  release()
  expect(written.join('').match(/"event":"\w"/g)).toHaveLength(3)
  expect(written).toHaveLength(2)
})
