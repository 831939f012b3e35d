/**
 * `as_of` time of a second-hand version, such as a mail that is known only from a quote in a reply. It is the earliest
 * possible time, so any other version of the record replaces it, even one without a time.
 */
export const SECOND_HAND_AS_OF = '1970-01-01T00:00:00.000Z'
