/** An array of numbers of one size each. */
export type NumberTable = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Whether threads can share an array. */
export function isShared({ buffer }: NumberTable): boolean {
  return buffer instanceof SharedArrayBuffer
}

/** An array of zeros of the kind of another, which threads can share where they can share that one. */
export function emptyLike<T extends NumberTable>(array: T, length: number): T {
  return isShared(array) ? sharedLike(array, length) : new (constructorOf(array))(length)
}

/** An array of zeros of the kind of another that threads can share. */
export function sharedLike<T extends NumberTable>(array: T, length: number): T {
  return new (constructorOf(array))(new SharedArrayBuffer(length * array.BYTES_PER_ELEMENT))
}

function constructorOf<T extends NumberTable>(array: T): new (of: number | SharedArrayBuffer) => T {
  return array.constructor as new (
    of: number | SharedArrayBuffer,
  ) => T
}
