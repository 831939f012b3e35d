/** A file as it was dropped or chosen, with its path in the folder that was. */
export interface DroppedFile {
  path: string
  file: File
}

/** Passed over wherever they are: hidden files and installed packages. */
const PASSED_OVER = /(?:^|\/)(?:\.|node_modules\/|__MACOSX\/)/

/** Whether a file is one that nobody means to add. */
export function isPassedOver(path: string): boolean {
  return PASSED_OVER.test(path)
}

/** Files that were chosen in a dialogue, those of a folder with their paths in it. */
export function chosenFiles(list: Iterable<File>): DroppedFile[] {
  return [...list].map((file) => ({ file, path: file.webkitRelativePath || file.name }))
}

/** Files that were dropped; folders are gone through. */
export async function droppedFiles(dropped: DataTransfer): Promise<DroppedFile[]> {
  // What is dropped can be read while the event lasts, so that all of it is taken before the first is waited for.
  const coming = [...dropped.items].map((item) => {
    const entry = item.webkitGetAsEntry()
    if (entry) return filesOf(entry)
    // What another page lets go of is a file and has no place in a folder.
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
    // A folder is read in pieces; an empty one is its end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return found
    for (const each of some) found.push(...(await filesOf(each)))
  }
}
