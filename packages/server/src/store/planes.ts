import type { ReadOfTexts } from '@cairnstore/engine/resolve'
import type { AtWork } from '../base/yield-point.ts'
import type { TenancyApp } from '../tenancy/context.ts'
import type { Planes as ControlPlanes } from '../tenancy/planes.ts'
import type { Request } from '../tenancy/request.ts'
import type { Buckets } from './buckets/buckets.ts'
import type { Cluster } from './cluster/cluster.ts'
import type { DiskCache } from './disk-cache.ts'
import type { Knowledge } from './knowledge.ts'

/** Both planes: the control plane, and what sandboxes know. */
export interface Planes extends ControlPlanes {
  readonly knowledge: Knowledge
  /** What this machine keeps of object stores; undefined: nothing. */
  readonly cache: DiskCache | undefined
  readonly buckets: Buckets
  /** Which sandboxes are worked on in this process. */
  readonly cluster: Cluster
  /** The questions that are being answered here: what nobody waits for gives way to them. */
  readonly questions: AtWork
  /** Sandboxes in the platform's storage whose records are applied at once. */
  readonly commitsAtOnce: number
  /** When a sandbox is tidied: after so many commits, and at rest for so long. */
  readonly upkeep: { readonly commits: number; readonly restMs: number }
  /** What of plain text becomes entities and relations. */
  readonly readOfTexts: ReadOfTexts
}

/** What the rooms up to `store/` share: what sandboxes know, and what is below it. */
export interface StoreApp extends TenancyApp, Planes {}

/** What a handler of this floor works with: the program as far as it sees it, and this request. */
export interface StoreCtx extends StoreApp, Request {}
