import { expect, it } from 'vitest'
import { readOidc } from './oidc.ts'

const GIVEN = { CAIRN_OIDC_ISSUER: 'https://id.example/tenant/', CAIRN_OIDC_CLIENT_ID: 'cairn' }

it('without an issuer nobody can sign in through an identity provider', () => {
  expect(readOidc({ CAIRN_OIDC_CLIENT_ID: 'cairn' })).toBeNull()
})

it('the issuer keeps its final slash, and unset values have defaults', () => {
  expect(readOidc(GIVEN)).toEqual({
    issuer: 'https://id.example/tenant/',
    clientId: 'cairn',
    clientSecret: undefined,
    scopes: 'openid profile email',
    groupsClaim: 'groups',
    groupRoles: {},
    allowedDomains: [],
    admins: [],
    account: null,
  })
})

it('lists, roles and domains are parsed, and invalid values are rejected by name', () => {
  const roles = { CAIRN_OIDC_GROUP_ROLES: '{"eng":"member","ops":"admin"}', CAIRN_OIDC_ADMINS: 'ada@example.com, 123' }
  expect(readOidc({ ...GIVEN, ...roles, CAIRN_OIDC_ALLOWED_DOMAINS: 'Example.com' })).toMatchObject({
    groupRoles: { eng: 'member', ops: 'admin' },
    admins: ['ada@example.com', '123'],
    allowedDomains: ['example.com'],
  })
  for (const [name, value] of [
    ['CAIRN_OIDC_ISSUER', 'http://id.example'],
    ['CAIRN_OIDC_ISSUER', 'https://id.example/?tenant=1'],
    ['CAIRN_OIDC_SCOPES', 'profile'],
    ['CAIRN_OIDC_GROUP_ROLES', '{"eng":"king"}'],
    ['CAIRN_OIDC_GROUP_ROLES', 'eng=member'],
    ['CAIRN_OIDC_ALLOWED_DOMAINS', '@example.com'],
  ] as const) {
    expect(() => readOidc({ ...GIVEN, [name]: value }), name).toThrow(name)
  }
  expect(() => readOidc({ CAIRN_OIDC_ISSUER: GIVEN.CAIRN_OIDC_ISSUER })).toThrow('CAIRN_OIDC_CLIENT_ID')
})
