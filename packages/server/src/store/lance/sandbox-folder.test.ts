import { expect, test } from 'vitest'
import { sandboxFolder } from './sandbox-folder.ts'

const SANDBOX = 'sbx_00000000000000000000000000'
const folderOf = (userId: string) => sandboxFolder({ uri: '/data' }, userId, SANDBOX)

test('an account that was created here has its id as its folder', () => {
  expect(folderOf('acct_1k7snijt400stehm51qeapguuc').uri).toBe(`/data/acct_1k7snijt400stehm51qeapguuc/${SANDBOX}`)
  expect(sandboxFolder({ uri: 's3://bucket/a/' }, 'acct_1', SANDBOX).uri).toBe(`s3://bucket/a/acct_1/${SANDBOX}`)
})

test('token subjects never leave the root, and no two share a folder', () => {
  const subjects = [
    '..',
    '.',
    '../x',
    'a/b',
    'a\\b',
    'auth0|1',
    'a b',
    'ä',
    'a.b',
    'sub',
    'x'.repeat(255),
    '字'.repeat(255),
  ]
  const uris = subjects.map((subject) => folderOf(subject).uri)
  expect(new Set(uris).size).toBe(subjects.length)
  for (const uri of uris) expect(uri).toMatch(/^\/data\/[A-Za-z0-9_.-]{1,255}\/sbx_0+$/)
  for (const uri of uris) expect(uri.split('/')[2]).not.toMatch(/^\.+$/)
})

test('an invalid sandbox id cannot be part of a path', () => {
  expect(() => sandboxFolder({ uri: '/data' }, 'acct_1', '../x')).toThrow()
})
