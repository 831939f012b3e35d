/**
 * The `as_of` time of a second-hand version, such as a mail known only from a reply that quotes it. It is older than
 * every other version, including versions without a time.
 */
export const SECOND_HAND_AS_OF = '1970-01-01T00:00:00.000Z'
