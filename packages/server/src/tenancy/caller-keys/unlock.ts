import type { ContentUse } from '@cairnstore/contract'
import { Fault } from '../../base/fault.ts'
import type { Reach } from '../reach/reach.ts'
import { type ContentSeal, createContentSeal } from './content-seal.ts'
import type { HeldSeals } from './held-seals.ts'
import { readKeptKey } from './kept-key.ts'

/** The key that a request brought, for the sandbox that it is about. */
export interface RequestKey {
  readonly seal: ContentSeal
  /** Keeps the key at hand for the jobs of this process until the request has ended. */
  hold(): void
  /** Ends that. */
  release(): void
}

/** The epoch of a sandbox's first key. */
export const FIRST_EPOCH = 1

/**
 * What a request's key is to its sandbox: the sandbox's own, the one that an empty sandbox may be put under, or
 * nothing, since a question to a sandbox without a key ignores it. Throws `missing`, which for `credentials` is for the
 * handler to do, and `mismatch`. A change of key that has been made is asked for again with both: then the new one is
 * the sandbox's.
 */
export function unlock(
  seals: HeldSeals,
  use: ContentUse | undefined,
  reach: Reach | undefined,
  callerKey: Buffer | undefined,
  newKey?: Buffer,
): RequestKey | undefined {
  if (use === undefined || reach === undefined) return undefined
  const { sandboxId, sandbox, head } = reach
  const kept = readKeptKey(sandbox.caller_key)
  if (!kept) {
    const mayBind = use === 'writes' || use === 'credentials'
    return callerKey && mayBind ? toRequestKey(seals, createContentSeal(callerKey, sandboxId, FIRST_EPOCH)) : undefined
  }
  if (!callerKey) {
    if (use === 'mentions' || use === 'credentials') return undefined
    throw new Fault('missing')
  }
  const epoch = head.keyEpoch ?? FIRST_EPOCH
  const given = newKey ? [callerKey, newKey] : [callerKey]
  const seal = given.map((key) => createContentSeal(key, sandboxId, epoch, kept.former)).find((each) => each.fits(kept))
  if (!seal) throw new Fault('mismatch')
  // Whoever holds it already has worked out some of what it takes.
  const held = seals.find(sandboxId, epoch)
  const key = toRequestKey(seals, held?.fits(kept) ? held : seal)
  key.hold()
  return key
}

function toRequestKey(seals: HeldSeals, seal: ContentSeal): RequestKey {
  let release: (() => void) | undefined
  return {
    seal,
    hold: () => {
      release ??= seals.hold(seal)
    },
    release: () => {
      release?.()
      release = undefined
    },
  }
}
