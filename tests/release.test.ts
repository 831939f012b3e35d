import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { faultsOf, withRepository } from '../scripts/release.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

it('all published packages have the same version and depend on it', () => {
  expect(faultsOf(`v${version}`)).toEqual([])
  expect(faultsOf('v9.9.9')).toContain(`clients/python has the version ${version}.`)
})

it('every released package names its repository', () => {
  const described = withRepository('https://git.example/owner/name')
  expect(JSON.parse(described['packages/client/package.json'] ?? '')).toMatchObject({
    name: '@cairnstore/client',
    repository: { type: 'git', url: 'git+https://git.example/owner/name.git', directory: 'packages/client' },
  })
  expect(described['clients/python/pyproject.toml']).toMatch(/\[project\.urls\]\nRepository = "https:\/\/git\.example/)
  expect(Object.keys(described)).toHaveLength(7)
})
