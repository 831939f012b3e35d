/** Entity resolution: declarations and mentions of records, and record linkage. */
export {
  type AlikeGroup,
  applyAlike,
  type Decision,
  decisionsOf,
  fixedGroup,
  type KnownEntities,
  type Merge,
  NAMESAKES_MAX,
  thingKeys,
} from './batch-entities.ts'
export { turnOf } from './conversation.ts'
export { contradict, decodeEntity, displayName, encodeEntity, entityKeys } from './entity-content.ts'
export {
  allowTogether,
  areApart,
  type Entity,
  joined,
  keepApart,
  partFor,
  partsOf,
  separated,
  taken,
} from './entity-parts.ts'
export {
  type AlikeOptions,
  comparableProperties,
  findAlike,
  isComparable,
  mayBeCompared,
} from './likeness/find-alike.ts'
export type { Subject } from './likeness/population.ts'
export type { Alike, WhoIsOne } from './likeness/weights.ts'
export {
  isMentionedKey,
  isOfUnnamedSpeaker,
  isOnlyMentioned,
  isSomeUser,
  isUnnamedUser,
  mentionedKey,
  mentionedThings,
  mentionsIn,
  SENT_BY,
  toldKey,
  UNNAMED_USER,
  UNNAMED_USER_KEY,
} from './mentioned.ts'
export { findSamePeople, type PersonSubject } from './people/same-people.ts'
export {
  isUnfinished,
  phaseOfState,
  type ReadOfTexts,
  readAgain,
  readText,
  withFields,
  withoutFields,
} from './read-text.ts'
export type { Name, NamedEntity, ParsedRecord, ReadRecord, Thing } from './record-content.ts'
export {
  decodeContent,
  encodeContent,
  FIELD_NAMES,
  type FieldBasis,
  type FieldName,
  type Locator,
  type RecordContent,
  type Relation,
  relationsIn,
  type StoredContent,
  type ThingReference,
  type ToldFact,
} from './record-content.ts'
export { createResolver } from './resolve.ts'
export { anySiteKey, isOfASite, isSited, keysAcrossSites, withoutSite } from './sites.ts'
export {
  createSiteTeller,
  declaredThings,
  findThing,
  idAtSite,
  isNamedType,
  isThing,
  linkingKeys,
  normaliseType,
  type Origin,
  recordKey,
  searchKeys,
} from './things.ts'
