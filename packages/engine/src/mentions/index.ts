/** Mentions: names of people, organizations, places and other entities in a text. */
export { findMentions } from './find-mentions.ts'
