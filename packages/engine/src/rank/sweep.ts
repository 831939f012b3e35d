import { closeList, filterList, POSTING_SHIFT, type Postings } from './postings.ts'
import type { GraphStore } from './store.ts'

/** Withdrawn records that are not worth a sweep, and the share of the live ones that is. */
const WITHDRAWN_MIN = 256
const WITHDRAWN_SHARE = 1 / 8
/** Lists that each change cleans while a sweep runs, so that no single change pays for it. */
const LISTS_PER_CHANGE = 256

function sweepList(store: GraphStore, postings: Postings, list: number): void {
  if (postings.counts[list] === 0) return
  if (postings === store.conversations) store.orders.delete(list)
  const isEmpty = filterList(postings, list, (posting) => store.recordParts[posting >>> POSTING_SHIFT] !== 0)
  if (!isEmpty) return
  if (postings === store.keys) {
    if (store.keyOwners[list] !== 0) return
    store.keyWords[list] = 0
  }
  closeList(postings, list)
}

/** Removes the postings of withdrawn records from the next few lists; their places are free after the last list. */
export function sweepSome(store: GraphStore): void {
  if (store.sweep === undefined) {
    const worth = Math.max(WITHDRAWN_MIN, store.recordPlaces.size * WITHDRAWN_SHARE)
    if (store.withdrawn.length < worth) return
    store.sweep = { places: store.withdrawn, lists: 0 }
    store.withdrawn = []
  }
  const { sweep } = store
  store.withdrawals += 1
  let left = LISTS_PER_CHANGE
  let before = 0
  for (const postings of [store.terms, store.keys, store.conversations]) {
    const { reach } = postings.index
    for (; left > 0 && sweep.lists < before + reach; sweep.lists += 1, left -= 1) {
      sweepList(store, postings, sweep.lists - before)
    }
    before += reach
  }
  if (sweep.lists < before) return
  for (const place of sweep.places) store.freePlaces.push(place)
  store.sweep = undefined
}
