import { expect, test } from 'vitest'
import { aspectsOf } from './aspects.ts'

test.each(['Acme is headquartered in Oslo.', 'The headquarters of Acme are in Oslo.'])('%s tells a place', (text) => {
  const place = aspectsOf('where is acme').find(({ name }) => name === 'place')
  expect(place?.tells.test(text)).toBe(true)
})
