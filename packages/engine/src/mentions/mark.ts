/**
 * What stands first among the keys of an entity that texts mention and nothing declares, where no hash is as small:
 * that whatever is declared under its name may be it, or whatever but a person, as with the name of a town. The key of
 * the name by which that is found follows, which the entity does not own.
 */
export const MENTIONED_MARK = { anything: 1, thing: 2 } as const
