import { expect, it } from 'vitest'
import { toTrustedProxies } from './proxies.ts'

it('trusts no proxy by default', () => {
  expect(toTrustedProxies(undefined)).toBe(false)
  expect(toTrustedProxies('false')).toBe(false)
  expect(toTrustedProxies('true')).toBe(true)
  expect(toTrustedProxies('10.0.0.0/8, ::1,loopback')).toEqual(['10.0.0.0/8', '::1', 'loopback'])
})

it('rejects values that are not proxies', () => {
  for (const value of [
    'yes',
    '2',
    'proxy.example',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/8/8',
    '10.0.0.1,',
    '-1',
    '1.5',
  ]) {
    expect(() => toTrustedProxies(value), value).toThrow(/CAIRN_TRUST_PROXY must be/)
  }
})
