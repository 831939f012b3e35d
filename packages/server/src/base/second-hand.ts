/**
 * The time of a version that a source has at second hand, as a reply quotes the mail that it answers. It is older than
 * every other version, also one whose time is not known.
 */
export const SECOND_HAND_AS_OF = '1970-01-01T00:00:00.000Z'
