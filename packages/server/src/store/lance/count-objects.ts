import { listNames } from './list-objects.ts'
import type { SandboxFolder } from './sandbox-folder.ts'

/**
 * Counts the objects below a sandbox's folder in an S3-compatible store, those under `prefix` in it. A bucket that is
 * not there has none.
 */
export async function countObjects(folder: SandboxFolder, prefix: string): Promise<number> {
  let objects = 0
  for await (const _ of listNames(folder, prefix)) objects += 1
  return objects
}
