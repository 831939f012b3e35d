/** The `as_of` time of a second-hand version, such as a quoted mail: older than all others. */
export const SECOND_HAND_AS_OF = '1970-01-01T00:00:00.000Z'
