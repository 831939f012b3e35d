import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { LanceStores } from '../../packages/server/src/store/lance/stores.ts'
import type { SandboxStore } from '../../packages/server/src/store/port.ts'

/** The stores of a folder, and the store of sandbox `sbx_1` of `usr_1` in it. */
export interface FreshStore {
  folder: string
  stores: LanceStores
  store: SandboxStore
}

/** Gives every test of the file an empty store in a temporary folder, which is deleted after the test. */
export function onFreshStore(take: (fresh: FreshStore) => void): void {
  let folder: string
  let stores: LanceStores
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-lance-'))
    stores = new LanceStores({ uri: folder })
    take({ folder, stores, store: stores.open('usr_1', 'sbx_1') })
  })
  afterEach(() => {
    stores.close()
    rmSync(folder, { recursive: true, force: true })
  })
}
