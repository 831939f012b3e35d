/** There is no reader: its runtime or its model is missing, or is not what it should be. The message says which. */
export class ReaderMissing extends Error {
  override readonly name = 'ReaderMissing'
}
