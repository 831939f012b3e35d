/**
 * `as_of` time of a second-hand version, such as a mail that is known only from a reply quoting it. It is earlier than
 * that of any other version, including versions without a time.
 */
export const SECOND_HAND_AS_OF = '1970-01-01T00:00:00.000Z'
