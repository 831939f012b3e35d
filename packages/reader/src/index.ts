export { MODEL_FOLDER, type ModelCard, readModelCard } from './model-folder.ts'
export { type Comparison, openReader, type Reader, ReaderBusy, ReaderMissing } from './open-reader.ts'
