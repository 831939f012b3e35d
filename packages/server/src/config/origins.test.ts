import { expect, it } from 'vitest'
import { toOrigins } from './origins.ts'

it('lists sites as browsers send them, and none by default', () => {
  expect(toOrigins(undefined)).toEqual([])
  expect(toOrigins('')).toEqual([])
  expect(toOrigins('https://app.example, http://localhost:3000')).toEqual([
    'https://app.example',
    'http://localhost:3000',
  ])
})

it('rejects values that are not single sites', () => {
  for (const value of [
    '*',
    'app.example',
    'https://app.example/',
    'https://*.example',
    'null',
    'https://App.example',
  ]) {
    expect(() => toOrigins(value), value).toThrow(/CAIRN_CORS_ORIGINS must list sites/)
  }
})
