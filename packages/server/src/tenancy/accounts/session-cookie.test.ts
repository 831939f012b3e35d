import { expect, it } from 'vitest'
import { assertCookiesWork, clearCookie, isOwnOrigin, readCookie, setCookie } from './session-cookie.ts'

const SITE = 'https://cairn.example'
const HERE = 'http://127.0.0.1:8484'

it('a cookie over https has the prefix that keeps other hosts from setting it', () => {
  expect(setCookie('session', SITE, 'token', 60_000)).toBe(
    '__Host-cairn_session=token; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  )
  expect(setCookie('session', HERE, 'token', 60_000)).toBe(
    'cairn_session=token; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  )
  expect(clearCookie('session', SITE)).toContain('Max-Age=0')
})

it('a duplicate, malformed or differently named cookie is ignored', () => {
  expect(readCookie('a=b; __Host-cairn_session=token', 'session', SITE)).toBe('token')
  expect(readCookie('__Host-cairn_session=one; __Host-cairn_session=two', 'session', SITE)).toBeUndefined()
  expect(readCookie('__Host-cairn_session="token"', 'session', SITE)).toBeUndefined()
  expect(readCookie('cairn_session=token', 'session', SITE)).toBeUndefined()
  expect(readCookie('cairn_session=token', 'session', HERE)).toBe('token')
  expect(readCookie(undefined, 'session', SITE)).toBeUndefined()
})

it('only pages of this service on its port have its origin', () => {
  expect(isOwnOrigin(SITE, SITE)).toBe(true)
  expect(isOwnOrigin('http://cairn.example', SITE)).toBe(false)
  expect(isOwnOrigin('https://cairn.example.evil', SITE)).toBe(false)
  expect(isOwnOrigin('http://localhost:8484', HERE)).toBe(true)
  expect(isOwnOrigin('http://localhost:3000', HERE)).toBe(false)
  expect(isOwnOrigin('null', HERE)).toBe(false)
  expect(isOwnOrigin(undefined, HERE)).toBe(false)
})

it('a service without TLS on a network accepts no cookies', () => {
  expect(() => assertCookiesWork('http://10.0.0.5:8484')).toThrow('https_required')
  expect(() => assertCookiesWork(SITE)).not.toThrow()
  expect(() => assertCookiesWork(HERE)).not.toThrow()
})
