/** Briefs: records told in sentences that rest on them. */
export type { Brief, BriefInput, BriefRecord, Citation } from './brief.ts'
export { boundedText } from './candidates.ts'
export { citeEntities } from './cite.ts'
export { composeBrief } from './compose-brief.ts'
export { FIXED_WORDS, recordWords, unfaithfulWords } from './faithful.ts'
export { shorten, tokensOf } from './fit.ts'
export { nameWords } from './names.ts'
export { type Asked, summarise } from './summarise.ts'
