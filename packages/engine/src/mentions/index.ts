/** Mentions: the names of people, organisations, places and other things that stand in a text. */
export { type FoundMention, findMentions, MENTIONS_MAX } from './find-mentions.ts'
export { MENTION_TYPES, type MentionType } from './type-of.ts'
