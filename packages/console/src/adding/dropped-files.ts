/** A dropped or chosen file, with its path relative to the dropped folder. */
export interface DroppedFile {
  path: string
  file: File
}

/** Files that are always skipped: hidden files and installed packages. */
const IGNORED = /(?:^|\/)(?:\.|node_modules\/|__MACOSX\/)/

/** Returns true for a file that is skipped: hidden, or part of an installed package. */
export function isIgnored(path: string): boolean {
  return IGNORED.test(path)
}

/** Returns the files chosen in a dialog. Files of a folder have their path within it. */
export function chosenFiles(list: Iterable<File>): DroppedFile[] {
  return [...list].map((file) => ({ file, path: file.webkitRelativePath || file.name }))
}

/** Returns the dropped files, including those in dropped folders. */
export async function droppedFiles(dropped: DataTransfer): Promise<DroppedFile[]> {
  // Dropped items are readable only during the event, so all are read before the first `await`.
  const coming = [...dropped.items].map((item) => {
    const entry = item.webkitGetAsEntry()
    if (entry) return filesOf(entry)
    // A file dragged from another page has no folder.
    const file = item.getAsFile()
    return file ? [{ file, path: file.name }] : []
  })
  return (await Promise.all(coming)).flat()
}

async function filesOf(entry: FileSystemEntry): Promise<DroppedFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
    return [{ file, path: entry.fullPath.replace(/^\//, '') }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: DroppedFile[] = []
  for (;;) {
    // A directory reader returns entries in batches. An empty batch marks the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return found
    for (const each of some) found.push(...(await filesOf(each)))
  }
}
