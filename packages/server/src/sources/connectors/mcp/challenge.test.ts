import { expect, it } from 'vitest'
import { challengeIn } from './challenge.ts'

const read = (header: string) => challengeIn(new Headers({ 'www-authenticate': header }))

it('the Bearer challenge is found among others, quoted or not', () => {
  const metadata = 'https://a.example/.well-known/oauth-protected-resource'
  expect(read(`Bearer resource_metadata="${metadata}", scope="a b"`)).toEqual({
    error: undefined,
    scope: 'a b',
    resourceMetadata: metadata,
  })
  expect(read(`Basic realm="x, Bearer scope=no", bearer error=insufficient_scope, scope="c"`)).toMatchObject({
    error: 'insufficient_scope',
    scope: 'c',
  })
  expect(read('Negotiate, DPoP algs="ES256", Bearer scope="say \\"hi\\""')).toMatchObject({ scope: 'say "hi"' })
  const two = new Headers()
  two.append('www-authenticate', 'Basic realm="r"')
  two.append('www-authenticate', 'Bearer scope="d"')
  expect(challengeIn(two)).toMatchObject({ scope: 'd' })
})

it('a header without a Bearer challenge, or one that cannot be read, is an empty challenge', () => {
  for (const header of ['', 'Basic realm="r"', '="x"', 'scope="x"', `Bearer scope="${'a'.repeat(9000)}"`]) {
    expect(read(header), header.slice(0, 20)).toEqual({})
  }
  expect(read('Bearer scope="open')).toMatchObject({ scope: undefined })
})
