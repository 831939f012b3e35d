export { MODEL_FOLDER, type ModelCard, ReaderMissing, readModelCard } from './model-folder.ts'
export { type Comparison, openReader, type Reader, ReaderBusy } from './open-reader.ts'
