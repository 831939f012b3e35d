import { expect, it } from 'vitest'
import { ConfigError } from './config-error.ts'
import { connectionsFor, descriptorsMax } from './descriptors.ts'

it('reserves descriptors for the engines, however many there are', () => {
  expect(connectionsFor(null, 1_024)).toBe(528)
  expect(connectionsFor(null, 420)).toBe(75)
  expect(connectionsFor(null, 1_048_576)).toBe(20_000)
  expect(connectionsFor(100, 1_024)).toBe(100)
})

it('rejects impossible limits with an explanation', () => {
  expect(() => connectionsFor(null, 256)).toThrow(ConfigError)
  expect(() => connectionsFor(null, 256)).toThrow(/may open 256 files, but needs 406/)
  expect(() => connectionsFor(900, 1_024)).toThrow(/CAIRN_CONNECTIONS_MAX of 900 needs 1220/)
})

it('reads the limit of the process, and assumes a default if the system does not report one', () => {
  const limitFrom = (limit: string) => descriptorsMax(() => `Max open files            ${limit}   4096   files\n`)
  expect(limitFrom('1024')).toBe(1_024)
  expect(limitFrom('unlimited')).toBe(Number.MAX_SAFE_INTEGER)
  expect(descriptorsMax(() => 'nothing of it')).toBe(4_096)
  const absent = () => {
    throw new Error('ENOENT')
  }
  expect(descriptorsMax(absent)).toBe(4_096)
})
