import { expect, it } from 'vitest'
import { plain, plainLine, webAddress } from './plain.ts'

it('unsafe characters are replaced one for one, so offsets stay valid', () => {
  const hostile = 'invoice\u202efdp.exe \u2066x\u2069 \u200b\u0007ok\tand\nso on'
  expect(plain(hostile)).toHaveLength(hostile.length)
  expect(plain(hostile)).toBe('invoice\ufffdfdp.exe \ufffdx\ufffd \ufffd\ufffdok\tand\nso on')
})

it('a line is limited in length and never cut within a surrogate pair', () => {
  expect(plainLine('  two\n lines ', 20)).toBe('two lines')
  expect(plainLine('😀'.repeat(50), 10)).toBe(`${'😀'.repeat(9)}…`)
})

it('only web and mail addresses are opened', () => {
  expect(webAddress('mailto:ada@example.com')).toBe('mailto:ada@example.com')
  expect(webAddress('https://example.com/a b')).toBe('https://example.com/a%20b')
  expect(webAddress('http://example.com')).toBe('http://example.com/')
  for (const other of [
    'javascript:alert(1)',
    ' JaVaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '/x',
    '',
  ])
    expect(webAddress(other), other).toBeUndefined()
})
