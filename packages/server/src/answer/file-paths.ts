import type { ReadRecord } from '@cairnstore/engine/resolve'

/** Properties that hold paths of files, alone or in a list. */
const PATH_PROPERTIES = ['path', 'file_path', 'file_paths', 'files']

/** The content without the fields that only say in which file it is: where it came from is told beside it. */
export function withoutPaths<C extends ReadRecord['content']>(content: C): C {
  const { properties } = content
  if (!properties || !PATH_PROPERTIES.some((name) => name in properties)) return content
  const told = Object.entries(properties).filter(([name]) => !PATH_PROPERTIES.includes(name))
  return { ...content, properties: Object.fromEntries(told) }
}

/** A path with a folder and an ending, not inside an address. */
const PATH =
  /(?<![\w/.:@-])(?:\.{0,2}\/)?(?:[\w@-][\w.@-]{0,99}\/){1,12}[\w.@-]{0,99}\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])/g
/** Of a text so much is looked through, and so many paths in it are shown. */
const TEXT_CHARS_MAX = 20_000
const TEXT_PATHS_MAX = 10

/** The files that a record names, each once: paths in its properties, things of type `file`, and paths in its text. */
export function filePaths({ properties, text }: ReadRecord['content'], things: ReadRecord['things']): string[] {
  const declared = things.flatMap(({ thing }) => (thing.type === 'file' ? [thing.names[0]?.text] : []))
  const given = PATH_PROPERTIES.flatMap((name) => properties?.[name])
  const told = text?.slice(0, TEXT_CHARS_MAX).match(PATH)?.slice(0, TEXT_PATHS_MAX) ?? []
  return [...new Set([...given, ...declared, ...told])].filter(
    (path): path is string => typeof path === 'string' && path !== '',
  )
}
