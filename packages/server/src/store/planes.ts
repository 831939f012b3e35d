import type { ExtractionOptions } from '@cairnstore/engine/resolve'
import type { ActivityGauge } from '../base/yield-point.ts'
import type { TenancyApp } from '../tenancy/context.ts'
import type { Planes as ControlPlanes } from '../tenancy/planes.ts'
import type { Request } from '../tenancy/request.ts'
import type { Buckets } from './buckets/buckets.ts'
import type { Cluster } from './cluster/cluster.ts'
import type { DiskCache } from './disk-cache.ts'
import type { Knowledge } from './knowledge.ts'

export interface Planes extends ControlPlanes {
  readonly knowledge: Knowledge
  /** Local disk cache of object stores. Undefined disables it. */
  readonly cache: DiskCache | undefined
  readonly buckets: Buckets
  /** Assigns sandboxes to processes. */
  readonly cluster: Cluster
  /** The questions in progress. Background work yields to them. */
  readonly questions: ActivityGauge
  /** Maximum number of sandboxes in the platform's storage whose records are applied concurrently. */
  readonly commitsAtOnce: number
  /** Triggers of compaction: a number of commits, or milliseconds of idleness. */
  readonly compaction: { readonly commits: number; readonly restMs: number }
  /** Kinds of entities and relations that are extracted from plain text. */
  readonly textExtraction: ExtractionOptions
}

/** Dependencies of the packages up to `store/`: both planes. */
export interface StoreApp extends TenancyApp, Planes {}

export interface StoreCtx extends StoreApp, Request {}
