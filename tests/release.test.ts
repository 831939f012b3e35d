import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { faultsOf, withRepository } from '../scripts/release.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

it('what is published has one version, and says so of each other', () => {
  expect(faultsOf(`v${version}`)).toEqual([])
  expect(faultsOf('v9.9.9')).toContain(`clients/python has the version ${version}.`)
})

it('a release says of every package where its repository is', () => {
  const described = withRepository('https://git.example/owner/name')
  expect(JSON.parse(described['packages/client/package.json'] ?? '')).toMatchObject({
    name: '@cairnstore/client',
    repository: { type: 'git', url: 'git+https://git.example/owner/name.git', directory: 'packages/client' },
  })
  expect(described['clients/python/pyproject.toml']).toMatch(/\[project\.urls\]\nRepository = "https:\/\/git\.example/)
  expect(Object.keys(described)).toHaveLength(7)
})
