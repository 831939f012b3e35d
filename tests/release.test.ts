import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { faultsOf } from '../scripts/release.mjs'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

it('what is published has one version, and says so of each other', () => {
  // Where the repository is to be, whoever publishes the first release has to say.
  expect(faultsOf(`v${version}`).filter((fault) => !fault.endsWith('where its repository is.'))).toEqual([])
  expect(faultsOf('v9.9.9')).toContain(`clients/python has the version ${version}.`)
})
