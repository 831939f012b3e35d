import { expect, test } from 'vitest'
import { readSigned, signNodeHeader } from './node-header.ts'

const key = Buffer.alloc(32, 'shared')
const at = new Date('2026-07-31T12:00:00Z')
const sentOn = {
  to: 'http://10.0.0.2:8484',
  method: 'POST',
  path: '/api/v1/query/sandboxes/sbx_1/search',
  requestId: 'r1',
}
const caller = { address: '203.0.113.9', protocol: 'https' } as const
const header = signNodeHeader(key, sentOn, caller, at)

test('a signed node header is accepted by the process that receives the request', () => {
  expect(readSigned(key, sentOn, header, at)).toEqual({ vouched: caller })
  const sixth = { address: '2001:db8::1', protocol: 'http' } as const
  expect(readSigned(key, sentOn, signNodeHeader(key, sentOn, sixth, at), at)).toEqual({ vouched: sixth })
})

test('it is valid only for that request, process and time', () => {
  for (const other of [
    { ...sentOn, to: 'http://10.0.0.3:8484' },
    { ...sentOn, method: 'DELETE' },
    { ...sentOn, path: `${sentOn.path}?as_user=1` },
    { ...sentOn, requestId: 'r2' },
  ]) {
    expect(readSigned(key, other, header, at)).toBeUndefined()
  }
  for (const seconds of [-31, 31]) {
    const later = new Date(at.getTime() + seconds * 1000)
    expect(readSigned(key, sentOn, header, later)).toEqual({ vouched: undefined })
  }
})

test('it cannot be forged or altered without the key', () => {
  expect(readSigned(key, sentOn, signNodeHeader(Buffer.alloc(32, 'other'), sentOn, caller, at), at)).toBeUndefined()
  for (const changed of [
    header.replace('203.0.113.9', '127.0.0.1'),
    header.replace('https', 'http'),
    header.replace(/\S+$/, ''),
    `${header} more`,
    header.split(' ').slice(0, -1).join(' '),
    header.replace(/^1 \d+/, '1 NaN'),
    '',
    '1 1 1 1 1',
  ]) {
    expect(readSigned(key, sentOn, changed, at)).toBeUndefined()
  }
})
