export { EncoderUnavailable, MODEL_FOLDER, type ModelCard, readModelCard } from './model-folder.ts'
export {
  type Comparison,
  type Encoder,
  EncoderBusy,
  openEncoder,
  type Support,
} from './open-encoder.ts'
