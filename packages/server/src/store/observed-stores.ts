import type { Observe, Work } from '../base/observe.ts'
import type { SandboxStore, Stores } from './port.ts'

/** Wraps stores so that each operation is measured. Streams of rows are not measured. */
export function observedStores(stores: Stores, observe: Observe): Stores {
  return {
    open: (...place) => observedStore(stores.open(...place), observe),
    reopen: (...place) => stores.reopen(...place),
    erase: (...place) => observe('store.purge', () => stores.erase(...place)),
    writeNote: (...note) => stores.writeNote(...note),
    readNotes: () => stores.readNotes(),
    removeNote: (name) => stores.removeNote(name),
    listLocal: () => stores.listLocal(),
    isOfAccount: (...asked) => stores.isOfAccount(...asked),
    eraseLocal: (place) => stores.eraseLocal(place),
    breakers: () => stores.breakers(),
    abort: () => stores.abort(),
    close: () => stores.close(),
  }
}

function observedStore(store: SandboxStore, observe: Observe): SandboxStore {
  const as =
    <A extends unknown[], R>(work: Work, method: (...args: A) => Promise<R>) =>
    (...args: A) =>
      observe(work, () => method.apply(store, args))
  return {
    ...store,
    commit: as('store.commit', store.commit),
    recordsAt: as('store.read', store.recordsAt),
    recordsById: as('store.read', store.recordsById),
    vectorsAt: as('store.read', store.vectorsAt),
    vectorsOf: as('store.read', store.vectorsOf),
    entitiesAt: as('store.read', store.entitiesAt),
    entitiesById: as('store.read', store.entitiesById),
    linksOf: as('store.read', store.linksOf),
    linksOfRecords: as('store.read', store.linksOfRecords),
    compact: as('store.upkeep', store.compact),
    purge: as('store.purge', store.purge),
    sweep: as('store.sweep', store.sweep),
    writeSegment: as('store.piece', store.writeSegment),
    readSegment: as('store.piece', store.readSegment),
    removeSegments: as('store.piece', store.removeSegments),
    countRows: as('store.read', store.countRows),
    count: as('store.read', store.count),
    findNewest: as('store.read', store.findNewest),
    recordIdsOf: as('store.read', store.recordIdsOf),
  }
}
