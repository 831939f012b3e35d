import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { SandboxStore } from '../../packages/server/src/store/lance/sandbox-store.ts'
import { Stores } from '../../packages/server/src/store/lance/stores.ts'

/** The stores of a folder, and the one of the sandbox `sbx_1` of `usr_1` in it. */
export interface FreshStore {
  folder: string
  stores: Stores
  store: SandboxStore
}

/** Gives every test of the file an empty store in a folder of its own, which goes with the test. */
export function onFreshStore(take: (fresh: FreshStore) => void): void {
  let folder: string
  let stores: Stores
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-lance-'))
    stores = new Stores({ uri: folder })
    take({ folder, stores, store: stores.open('usr_1', 'sbx_1') })
  })
  afterEach(() => {
    stores.close()
    rmSync(folder, { recursive: true, force: true })
  })
}
