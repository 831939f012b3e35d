/** A pattern whose source is written over several lines. */
export function pattern(flags: string, ...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(''), flags)
}
