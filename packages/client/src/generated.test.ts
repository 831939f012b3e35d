import { readFileSync } from 'node:fs'
import { openApi, operations } from '@cairnstore/contract'
import { expect, it } from 'vitest'
import { clientFiles } from '../../../scripts/clients.mjs'
import { Cairn } from './index.ts'

const root = new URL('../../../', import.meta.url)

it('the generated clients are up to date with the contract (`npm run clients`)', () => {
  for (const [path, text] of Object.entries(clientFiles(operations, openApi(operations, '')))) {
    expect(readFileSync(new URL(path, root), 'utf8'), path).toBe(text)
  }
})

it('every operation is a method', () => {
  const cairn = new Cairn({ url: 'http://127.0.0.1:1' })
  for (const id of Object.keys(operations)) expect(cairn).toHaveProperty(id)
})
