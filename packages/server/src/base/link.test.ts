import { expect, it } from 'vitest'
import { linkOf } from './link.ts'

it('a web or mail address is a link and is unchanged', () => {
  for (const url of ['https://a.example/b?c#d', 'http://A.example', 'mailto:ada@example.com', 'HTTPS://a.example/é']) {
    expect(linkOf(url)).toBe(url)
  }
  expect(linkOf(' https://a.example/b c\n')).toBe('https://a.example/b%20c')
  expect(linkOf('https://a.example/"><b>')).toBe('https://a.example/%22%3E%3Cb%3E')
})

it('scripts, other schemes and texts that are not addresses are not links', () => {
  const hostile = ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', ' java\nscript:alert(1)', '\u0001javascript:alert(1)']
  const other = ['data:text/html,<b>', 'vbscript:x', 'file:///etc/passwd', 'blob:https://a.example/1', 'slack://x']
  for (const url of [...hostile, ...other, '/docs', 'a.example', 'https://', '', null, undefined]) {
    expect([url, linkOf(url)]).toEqual([url, undefined])
  }
})
