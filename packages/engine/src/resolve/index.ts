/** Entity resolution: declarations and mentions of records, and record linkage. */
export {
  applyMatches,
  type Decision,
  decisionsOf,
  declarationKeys,
  fixedGroup,
  type KnownEntities,
  type MatchCluster,
  type Merge,
  NAMESAKES_MAX,
} from './batch-entities.ts'
export { turnOf } from './conversation.ts'
export {
  createSiteResolver,
  declarationsOf,
  findDeclaration,
  idAtSite,
  isEntityRecord,
  isNamedType,
  linkingKeys,
  normaliseType,
  type Origin,
  recordKey,
  searchKeys,
} from './declarations.ts'
export {
  type ExtractionOptions,
  enrichContent,
  isUnfinished,
  phaseOfState,
  reenrichContent,
  withFields,
  withoutFields,
} from './enrich-content.ts'
export { contradict, decodeEntity, displayName, encodeEntity, entityKeys } from './entity-content.ts'
export {
  areDeclaredDifferent,
  declareDifferent,
  type Entity,
  mergedEntity,
  moveKeys,
  partFor,
  partsOf,
  splitPart,
  withdrawDifferent,
} from './entity-parts.ts'
export {
  comparableProperties,
  findMatches,
  isComparable,
  isLinkable,
  type LinkageOptions,
} from './linkage/find-matches.ts'
export type { Subject } from './linkage/subject-corpus.ts'
export type { LinkageResult, Match } from './linkage/weights.ts'
export {
  isMentionedKey,
  isOfUnnamedSpeaker,
  isOnlyMentioned,
  isSomeUser,
  isUnnamedUser,
  mentionDeclarations,
  mentionedKey,
  mentionsIn,
  relationEndKey,
  SENT_BY,
  UNNAMED_USER_KEY,
} from './mentioned.ts'
export { findSamePeople } from './people/same-people.ts'
export type { Declaration, Name, NamedEntity, ParsedRecord, ReadRecord } from './record-content.ts'
export {
  decodeContent,
  type EntityReference,
  encodeContent,
  encodedExternalId,
  FIELD_NAMES,
  type FieldName,
  type RecordContent,
  type Relation,
  relationsIn,
  type StoredContent,
  type TextFact,
} from './record-content.ts'
export { createResolver } from './resolve.ts'
export { anySiteKey, isSited, isSiteScoped, keysAcrossSites, withoutSite } from './sites.ts'
