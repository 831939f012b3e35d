/** Mentions: names of people, organizations, places and other entities in a text. */
export { type FoundMention, findMentions, MENTIONS_MAX } from './find-mentions.ts'
export { MENTION_TYPES, type MentionType } from './type-of.ts'
