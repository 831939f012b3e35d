import type { Observe, Work } from '../base/observe.ts'
import type { SandboxStore, Stores } from './port.ts'

/** Wraps stores so that each operation is measured. Streams of rows are not measured. */
export function observedStores(stores: Stores, observe: Observe): Stores {
  return {
    open: (...place) => observedStore(stores.open(...place), observe),
    reopen: (...place) => stores.reopen(...place),
    erase: (...place) => observe('store.purge', () => stores.erase(...place)),
    keepNote: (...note) => stores.keepNote(...note),
    readNotes: () => stores.readNotes(),
    removeNote: (name) => stores.removeNote(name),
    listLocal: () => stores.listLocal(),
    isOfAccount: (...asked) => stores.isOfAccount(...asked),
    eraseLocal: (place) => stores.eraseLocal(place),
    breakers: () => stores.breakers(),
    giveUp: () => stores.giveUp(),
    close: () => stores.close(),
  }
}

function observedStore(store: SandboxStore, observe: Observe): SandboxStore {
  const as =
    <A extends unknown[], R>(work: Work, method: (...args: A) => Promise<R>) =>
    (...args: A) =>
      observe(work, () => method.apply(store, args))
  return {
    commit: as('store.commit', store.commit),
    readSince: (...asked) => store.readSince(...asked),
    recordsAt: as('store.read', store.recordsAt),
    recordsById: as('store.read', store.recordsById),
    vectorsAt: as('store.read', store.vectorsAt),
    vectorsOf: as('store.read', store.vectorsOf),
    entitiesAt: as('store.read', store.entitiesAt),
    entitiesById: as('store.read', store.entitiesById),
    linksOf: as('store.read', store.linksOf),
    linksOfRecords: as('store.read', store.linksOfRecords),
    scanRecords: (...asked) => store.scanRecords(...asked),
    scanEntities: (...asked) => store.scanEntities(...asked),
    scanLinks: (...asked) => store.scanLinks(...asked),
    upkeep: as('store.upkeep', store.upkeep),
    purge: as('store.purge', store.purge),
    sweep: as('store.sweep', store.sweep),
    keepPiece: as('store.piece', store.keepPiece),
    readPiece: as('store.piece', store.readPiece),
    removePieces: as('store.piece', store.removePieces),
    keepUploadPart: as('store.piece', store.keepUploadPart),
    readUploadPart: as('store.piece', store.readUploadPart),
    removeUploadParts: as('store.piece', store.removeUploadParts),
    countRows: as('store.read', store.countRows),
    count: as('store.read', store.count),
    findNewest: as('store.read', store.findNewest),
    recordIdsOf: as('store.read', store.recordIdsOf),
  }
}
